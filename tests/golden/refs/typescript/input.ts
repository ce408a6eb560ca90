import React, { useState as state, Component } from "react";
import type { Props } from "./props";
import * as api from "../api";
import "./side";
import fs = require("fs");
const { join, resolve: res } = require("path");
export { helper as help, Component };
export * from "./more";
export * as more from "./more";
export { one, two as three } from "./numbers";

export interface Store<T> extends Base<T>, Disposable {
  items: Map<string, T>;
  get(key: string): T | undefined;
}

type Handler = (req: Request) => Promise<Response>;
type Pair<A> = [A, A];

enum Color {
  Red,
  Green = "g",
}

export abstract class Server extends api.Base<Props> implements Store<User> {
  static count = 0;
  private readonly log: Logger = new Logger();
  items = new Map<string, User>();

  constructor(private db: Database, public name?: string, ...rest: Plugin[]) {
    super(db);
    this.log.info("start");
    this.later = rest;
  }

  abstract stop(): void;

  get(key: string): User {
    const user = this.items.get(key)!;
    const { profile, tags: [first], ...others } = user;
    profile.show(first.label, others);
    return this.db.find<User>(key) ?? user;
  }

  async each(fn: (u: User) => void, limit = 10): Promise<Array<User>> {
    for (const u of await this.load()) {
      if (u.ok && limit > Server.count) fn(u);
    }
    try {
      this.get("a").save();
    } catch (e) {
      e.print();
    }
    return [];
  }
}

export function helper<T extends Base>(x: T, y?: Options): T {
  const list: T[] = [x];
  list[0].run();
  let o = y as Options;
  o.mode = Color.Red;
  o = { mode: Color.Green, join };
  const run = async (a: number) => {
    const r = await api.load(a);
    return r.data;
  };
  run(1).then((v) => v.size);
  return list.map((e) => e.self).find(Boolean);
}

export const handler = (req: Request, res: Response) => {
  const s: Server = makeServer();
  s.get(req.id).save();
  return s.items;
};

router.get("/users/:id", auth, handler);
app.on("ready", () => helper(state));

@Controller("/cats")
export class Cats {
  @Get("/:id")
  find(@Param("id") id: string): Cat {
    return new Cat(id);
  }
}

export default makeServer(handler);
