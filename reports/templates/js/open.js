"use strict";
// The only global name of the page's scripts.
const lath = {};
