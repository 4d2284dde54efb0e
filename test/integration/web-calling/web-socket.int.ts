import { expect } from 'chai';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { EngineError } from '../../../core/ports/engine.js';
import { eventually } from '../../support/eventually.js';
import {
  PAGE_OF_PROJECT,
  textOf,
  webCallingEach,
  type WebCallingStage,
} from '../../support/stages/web-calling/web-calling-stage.js';

describe('The WebSocket of web calling', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  webCallingEach((made) => (stage = made));

  const connected = async (): Promise<string> => {
    const { id, token } = await stage.session();
    await stage.connect(token);
    return id;
  };

  const opened = async (sessionId: string): Promise<WebSocket> => {
    const socket = stage.socket(sessionId);
    await once(socket, 'open');
    return socket;
  };

  const change = async (engine: string, columns: string): Promise<void> => {
    await stage.database.db.query(`UPDATE engines SET ${columns} WHERE name = $1`, [engine]);
  };

  /** The status and code with which the upgrade is refused. */
  const refusal = async (socket: WebSocket): Promise<string> => {
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    let text = '';
    for await (const part of response) text += String(part);
    const { error_code: code } = JSON.parse(text) as { error_code: string };
    return `${response.statusCode ?? 0} ${code}`;
  };

  const closedWith = async (socket: WebSocket): Promise<number> => Number((await once(socket, 'close'))[0]);

  it('passes messages to an engine and back', async () => {
    const socket = await opened(await connected());
    expect(socket.protocol).to.equal('sip');
    socket.send('REGISTER');
    const [answer] = (await once(socket, 'message')) as [RawData];
    expect(textOf(answer)).to.equal('re: REGISTER');
    socket.close();
    await eventually(() => stage.engineSocket.clients.size === 0, 'the engine’s side closes');
  });

  it('is refused for unknown sessions, foreign pages, other protocols and plain requests', async () => {
    const id = await connected();
    expect(await refusal(stage.socket('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'))).to.equal('404 WCS_NOT_FOUND');
    expect(await refusal(stage.socket('1'))).to.equal('404 WCS_NOT_FOUND');
    const foreign = stage.socket(id, { origin: 'https://www.stranger.example' });
    expect(await refusal(foreign)).to.equal('403 ORIGIN_NOT_ALLOWED');
    expect(await refusal(stage.socket(id, {}, 'chat'))).to.equal('400 VALIDATION_ERROR');
    const plain = await stage.api.request('GET', `/v1/web-calling/ws?session=${id}`);
    expect([plain.status, plain.body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    const own = stage.socket(id, { origin: PAGE_OF_PROJECT });
    await once(own, 'open');
    own.close();
  });

  it('is refused once the session is over, and for a session of the sandbox', async () => {
    const id = await connected();
    await stage.ask('DELETE', `/sessions/${id}`);
    expect(await refusal(stage.socket(id))).to.equal('401 WCS_REVOKED');
    const sandbox = await stage.session({}, stage.sandboxKey);
    expect(await refusal(stage.socket(sandbox.id))).to.equal('502 WEBRTC_PROVISIONING_FAILED');
    await stage.database.db.query(`UPDATE organizations SET flags = '{"web_calling": false}'`);
    expect(await refusal(stage.socket(id))).to.equal('503 WEB_CALLING_DISABLED');
  });

  it('tells a page that asks without a WebSocket why it is refused, which browsers hide', async () => {
    const id = await connected();
    const asked = async (): Promise<unknown[]> => {
      const headers = { origin: PAGE_OF_PROJECT };
      const answer = await stage.api.request('GET', `/v1/web-calling/ws?session=${id}`, { headers });
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      return [answer.status, answer.body?.error_code];
    };
    expect(await asked()).to.deep.equal([400, 'VALIDATION_ERROR']);
    await stage.ask('DELETE', `/sessions/${id}`);
    expect(await asked()).to.deep.equal([401, 'WCS_REVOKED']);
  });

  it('is refused while no engine answers', async () => {
    const id = await connected();
    await stage.engineSocket.close();
    expect(await refusal(stage.socket(id))).to.equal('502 WEBRTC_PROVISIONING_FAILED');
  });

  it('gives the account to an engine that was away when the browser connected, before it goes there', async () => {
    const { engine, engineSocket } = await stage.secondEngine();
    try {
      await change('second', `removed_at = now()`);
      const id = await connected();
      await change('second', `removed_at = NULL`);
      await change('first', `status = 'unreachable'`);
      expect(engine.softphones.size).to.equal(0);
      await opened(id);
      expect(engineSocket.clients.size).to.equal(1);
      expect([...engine.softphones.keys()]).to.deep.equal([...stage.engine.softphones.keys()]);
    } finally {
      await engine.stop();
      await engineSocket.close();
    }
  });

  it('prefers engines that have the account to those that refuse it, or whose process does not answer', async () => {
    const { engine, engineSocket } = await stage.secondEngine();
    try {
      await change('second', `removed_at = now()`);
      const ids = [await connected(), await connected()];
      await change('second', `removed_at = NULL`);
      engine.refusal = new EngineError('rejected', 'no more endpoints');
      for (const id of ids) await opened(id);
      await engine.stop();
      for (const id of ids) await opened(id);
      expect([stage.engineSocket.clients.size, engineSocket.clients.size]).to.deep.equal([4, 0]);
      // An engine whose process is away may have it all the same.
      await stage.engineSocket.close();
      await opened(ids[0]!);
      expect(engineSocket.clients.size).to.equal(1);
    } finally {
      await engine.stop();
      await engineSocket.close();
    }
  });

  it('closes as a restart when the engine dies, so that the browser comes back', async () => {
    const socket = await opened(await connected());
    await eventually(() => Promise.resolve(stage.sockets.count === 1), 'the connection counts');
    const closed = closedWith(socket);
    stage.engineSocket.cutOff();
    expect(await closed).to.equal(1012);
    await eventually(() => Promise.resolve(stage.sockets.count === 0), 'the connection counts no more');
  });

  it('closes within seconds when the session is revoked', async () => {
    const id = await connected();
    const socket = await opened(id);
    const closed = closedWith(socket);
    await stage.ask('DELETE', `/sessions/${id}`);
    expect(await closed).to.equal(1008);
  });

  it('closes when a message is too long, or too many come', async () => {
    const id = await connected();
    const long = await opened(id);
    const tooLong = closedWith(long);
    long.send('x'.repeat(65 * 1024));
    expect(await tooLong).to.equal(1009);
    const many = await opened(id);
    const tooMany = closedWith(many);
    for (let sent = 0; sent < 200; sent += 1) many.send('OPTIONS');
    expect(await tooMany).to.equal(1008);
  });

  it('keeps only the newest three of a session', async () => {
    const id = await connected();
    const first = await opened(id);
    const closed = closedWith(first);
    for (let more = 0; more < 3; more += 1) await opened(id);
    expect(await closed).to.equal(1008);
    await eventually(() => stage.engineSocket.clients.size === 3, 'the oldest is gone');
  });

  it('closes when the process stops', async () => {
    const socket = await opened(await connected());
    const closed = closedWith(socket);
    await stage.sockets.close();
    expect(await closed).to.equal(1012);
  });
});
