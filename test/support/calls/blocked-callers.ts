import { expect } from 'chai';
import type { Answer } from '../api.js';
import { eventually } from '../eventually.js';
import type { Baresip } from '../phones/index.js';

/** A platform on a real engine, and a phone behind a trunk that calls the number of the agent 1001. */
export interface BlockedCallerStage {
  readonly caller: Baresip;
  /** What the caller shows. */
  readonly number: string;
  /** The SIP address of the number of the agent. */
  readonly callee: string;
  request(method: string, path: string, json?: object): Promise<Answer>;
}

/** Checks on any engine what phones of blocked callers get. */
export function blockedCallers(stageOf: () => BlockedCallerStage): void {
  async function ask(method: string, path: string, json?: object): Promise<Answer['body']> {
    const { status, text, body } = await stageOf().request(method, path, json);
    expect(status, text).to.be.within(200, 204);
    return body;
  }
  const answerWith = (answer: string | null): Promise<Answer['body']> =>
    ask('PUT', '/v1/blocked-caller-answer', { answer });

  it('reject a blocked caller with the SIP status that the project chose, and leave no call', async () => {
    const { caller, number, callee } = stageOf();
    const calls = async (): Promise<unknown> => (await ask('GET', '/v1/calls?limit=1'))?.data;
    const before = await calls();
    const path = '/v1/agents/1001/blocked-callers';
    const entry = await ask('POST', path, { kind: 'exact', number });
    for (const [answer, status] of [
      [null, /^603/],
      ['unwanted', /^607/],
    ] as const) {
      await answerWith(answer);
      expect(await caller.closed(await caller.dial(callee))).to.match(status);
    }
    expect(await calls()).to.deep.equal(before);
    await ask('DELETE', `${path}/${String(entry?.id)}`);
  });

  it('tell a blocked caller that the call is not taken, without an answer', async () => {
    const { caller, number, callee } = stageOf();
    const entry = await ask('POST', '/v1/blocked-callers', { kind: 'exact', number });
    await answerWith('announcement');
    const id = await caller.dial(callee);
    await caller.waitFor('CALL_PROGRESS', { callId: id });
    expect(await caller.closed(id)).to.match(/^(?:403|603)/);
    expect(caller.call(id).establishedAt).to.equal(null);
    const over = async (): Promise<unknown> => {
      const [call] = (await ask('GET', '/v1/calls?limit=1'))?.data as Record<string, unknown>[];
      return call?.status === 'missed' && call;
    };
    expect(await eventually(over, 'the call is missed')).to.include({ disposition: 'rejected', answered_at: null });
    await answerWith(null);
    await ask('DELETE', `/v1/blocked-callers/${String(entry?.id)}`);
  });
}
