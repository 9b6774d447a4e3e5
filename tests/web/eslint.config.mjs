// What eslint holds the scripts of report and site against; each exception with its reason. Types are tsc's.
import js from "@eslint/js";
import globals from "globals";

const SCRIPTS = "reports/templates/js/*.js";
const MODULES = "arena/site/templates/*.js";
const DOOR = "arena/site/templates/door.js"; // stands in its page, without imports

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: [SCRIPTS, MODULES],
    languageOptions: { ecmaVersion: 2023, globals: globals.browser },
    rules: {
      ...js.configs.recommended.rules,
      "array-callback-return": "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "no-constructor-return": "error",
      "no-eval": "error",
      "no-implicit-globals": ["error", { lexicalBindings: true }],
      "no-implied-eval": "error",
      "no-self-compare": "error",
      "no-shadow-restricted-names": "error",
      "no-template-curly-in-string": "error",
      "no-unmodified-loop-condition": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_$", ignoreRestSiblings: true }],
      "no-use-before-define": ["error", { functions: false, variables: false }], // but within functions, called later
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  // All of them are one script of the page, which `open` makes strict and whose one name is `lath`.
  {
    files: [SCRIPTS],
    languageOptions: { sourceType: "script", parserOptions: { ecmaFeatures: { impliedStrict: true } } },
  },
  { files: [SCRIPTS], ignores: ["**/open.js"], languageOptions: { globals: { lath: "readonly" } } },
  { files: ["**/open.js"], rules: { "no-implicit-globals": "off", "no-unused-vars": "off" } },
  { files: [MODULES], languageOptions: { sourceType: "module" } },
  { files: [DOOR], languageOptions: { sourceType: "script" } },
];
