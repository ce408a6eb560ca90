const express = require("express");
const { readFile, writeFile: write } = require("fs");
import def, { a as b, c } from "./mod";
export { def as other };
export default class Main extends express.Router {
  size = 1;
  constructor(db, { log, ...rest } = {}) {
    super();
    this.db = db;
    this.cache = new Cache(log);
    this.size = 2;
  }
  load(id, ...more) {
    const self = this;
    return self.cache.get(id) || this.db.find(more);
  }
}

function Old(name) {
  this.name = name;
}

Old.prototype.greet = function (who) {
  const text = `hi ${who.name}`;
  write(text);
  return this.name;
};

function run(list, cb = noop) {
  var main = new Main();
  main.load(1);
  for (const item of list) item.go();
  for (let i = 0; i < list.length; i++) list[i].stop();
  const [first, { deep }] = list.pair();
  first.go(deep.er);
  let x = c ? main : b;
  x.load();
  x = other();
  x.load();
  total += first;
  return cb(main), function named() { return named(); };
}

router.post("/login", function (req, res) {
  res.send(req.body);
});
exports.run = run;
module.exports = { run, start: Old, nested: { run }, stop() {} };
