// The effects of moves on boards, in the language of `lath.notation.rules.effects`.

lath.effectWords = (effect) =>
  effect.split(" ").filter(Boolean).map((text) => {
    const [, cell, what, operand] = /** @type {RegExpExecArray} */ (/^([0-9]*)([-+~=!>])(.*)$/su.exec(text));
    return [Number(cell), what, operand];
  });

// Returns the codes on each cell afterwards. `shapes`: the shape of each piece by its code.
lath.applied = (effect, before, shapes) => {
  let stacks = before.slice();
  for (const [cell, what, operand] of lath.effectWords(effect)) {
    if (what === "+") stacks[cell] += operand;
    else if (what === "=") stacks[cell] = operand;
    else if (what === "-") stacks[cell] = [...stacks[cell]].slice(0, -Number(operand)).join("");
    else if (what === "~") stacks[cell] = [...stacks[cell]].filter((code) => shapes.get(code) !== operand).join("");
    else {
      const [old, become = ""] = [...operand];
      stacks = stacks.map((stack) => stack.replaceAll(old, () => become));
    }
  }
  return stacks;
};

// Returns the changes from one board to another: [[cell, "+w"], …].
lath.changesOf = (before, after) =>
  after.flatMap((stack, cell) => {
    const old = before[cell];
    if (stack === old) return [];
    if (stack.startsWith(old)) return [[cell, `+${stack.slice(old.length)}`]];
    return [[cell, old.startsWith(stack) ? `-${old.length - stack.length}` : `=${stack}`]];
  });
