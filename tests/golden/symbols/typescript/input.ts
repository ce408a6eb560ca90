import { z } from "zod";
import type { A } from './types';
import fs = require("fs");
export * from "./core";
export { b as c } from "./b";

/** A shape. */
export interface Shape<T> extends Base {
  readonly area: number;
  scale?(by: number): Shape<T>;
  [key: string]: unknown;
}

export type Pair<A, B = A> = {
  first: A;
  second: B;
};

export enum Color {
  Red = "red",
  Green,
}

const enum Flags { None = 0 }

/** Makes one. */
export abstract class Circle implements Shape<number> {
  private readonly radius: number;
  static count = 0;

  constructor(public x: number, protected y?: number) {
    super();
  }

  // Overloads.
  scale(by: number): Circle;
  scale(by: string): Circle;
  scale(by: any) {
    return this;
  }

  protected abstract draw(): void;

  @memo()
  get area() {
    return 1;
  }

  private handle = (e: Event) => {
    this.draw();
    return e;
  };
}

@Component({
  selector: "app",
})
export class AppComponent {}

export function parse(text: string): void;
export function parse(text: string, strict?: boolean): void {
  let local = 1;
}

export const make = <T>(value: T): T => {
  // inside
  const x = value;
  return x;
};

export const limit: number = 5;

export namespace util {
  export function trim(s: string) {
    return s;
  }
  export const version = 1;
}

declare module "express" {
  interface Request {
    user: string;
  }
}

declare function alert(text: string): void;
declare const VERSION: string;

test("parses", () => {
  parse("x");
});
