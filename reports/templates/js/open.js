"use strict";
// The one name that the page's scripts share.
const lath = {};
