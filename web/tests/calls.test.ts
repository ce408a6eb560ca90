// SPDX-License-Identifier: MIT
// The list of what agents ask: bounded, without doubles, and paused without losing anything.
import { beforeEach, describe, expect, it } from 'vitest';

import { calls, clearCalls, setPaused, takeCalls, waiting, type AgentCall } from '../src/components/agents/requests';

let next = 1;
const call = (more: Partial<AgentCall> = {}): AgentCall => ({ at: new Date(Date.UTC(2026, 0, 1) + next * 1000).toISOString(), id: next++, tool: 'search_code', client_id: 1, client: 'c/1', transport: 'http', took_ms: 1, tokens: 10, is_error: false, ...more });

describe('what agents ask', () => {
  beforeEach(() => {
    setPaused(false);
    clearCalls();
  });

  it('is there once, the newest first, when the list and the events tell the same', () => {
    const list = [call(), call(), call()];
    takeCalls([list[0]!]);
    takeCalls(list);
    takeCalls([list[2]!]);
    expect(calls.value.map((c) => c.id)).toEqual([list[2]!.id, list[1]!.id, list[0]!.id]);
  });

  it('goes on when the server has begun again and counts from 1', () => {
    takeCalls([call()]);
    takeCalls([call({ id: 1 })]);
    expect(calls.value).toHaveLength(2);
  });

  it('does not bring back what was cleared', () => {
    const list = [call(), call()];
    takeCalls(list);
    clearCalls();
    takeCalls(list);
    expect(calls.value).toHaveLength(0);
    takeCalls([call()]);
    expect(calls.value).toHaveLength(1);
  });

  it('never grows beyond some hundred', () => {
    for (let i = 0; i < 2000; i++) takeCalls([call()]);
    expect(calls.value).toHaveLength(500);
    expect(calls.value[0]!.id).toBe(next - 1);
  });

  it('stands still while it is paused, and shows all of it after', () => {
    takeCalls([call()]);
    setPaused(true);
    takeCalls([call()]);
    takeCalls([call()]);
    expect([calls.value.length, waiting.value]).toEqual([1, 2]);
    setPaused(false);
    expect([calls.value.length, waiting.value]).toEqual([3, 0]);
  });
});
