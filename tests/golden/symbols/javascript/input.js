#!/usr/bin/env node
'use strict'

/**
 * Module dependencies.
 */

const fs = require('fs')
import path, { join as j } from 'node:path'
export { a } from './a.js'
export * from './b.js'

var res = Object.create(http.ServerResponse.prototype)

/**
 * Set status code.
 */

res.status = function status(code) {
  this.statusCode = code
  return this
}

// Too short to count as a function.
res.short = function (x) { return x }

const LIMIT = 5, OTHER = 6

// Sends.
export const send = async (body) => {
  const local = 1
  // inside
  return body
}

export default class Router extends Base {
  static #count = 0
  name = 'router'

  constructor(options) {
    super(options)
  }

  // Finds.
  find(path) {
    return path
  }

  get size() { return 0 }
  async *walk() {}
  #secret() {}
  onClick = (e) => {
    this.find(e)
    return e
  }
}

function* ids() {
  yield 1
}

const handlers = {
  open(file) {
    return file
  },
  close: function (file) {
    fs.close(file)
    return file
  },
  plain: 1,
}

Router.prototype.legacy = function () {
  class Inner {}
  return new Inner()
}

const Anonymous = class {
  run() {}
}

describe('router', () => {
  it('finds', () => {
    expect(1).toBe(1)
  })
})
