#!/bin/sh
# Plays any legal move. The arena lists them; each game's seed decides. Any POSIX shell will do.
set -f
cr=$(printf '\r')
while read -r word rest; do
  word=${word%"$cr"} rest=${rest%"$cr"}
  case $word in
    arena) printf '%s\n' 'id name Shell' 'want legal' \
      'game mammalath:* mammalath-plus:* manalath:* manalath-61:* surikata:* yavalath:*' ok ;;
    new) seed=${rest#*seed } seed=${seed%% *}; echo "ready ${rest%% *}" ;;
    legal) legal=$rest ;;
    go) set -- $legal
      seed=$(((seed * 1103515245 + 12345) & 2147483647))
      shift $((seed / 65536 % $#))
      echo "bestmove ${rest%% *} $1" ;;
    ping) echo "pong $rest" ;;
    quit) exit ;;
  esac
done
