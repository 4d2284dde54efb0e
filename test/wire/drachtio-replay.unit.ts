import { expect } from 'chai';
import { DrachtioServer } from '../../sip/drachtio/server.js';
import type { SipRequest } from '../../sip/message/request.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import { frameOf, type DrachtioSaid } from './drachtio-lines.js';
import { DrachtioPeer } from './drachtio-peer.js';
import { DRACHTIO_EXPECTED, DRACHTIO_SCENARIOS } from './drachtio-scenarios.js';
import { isAsked, type PeerOptions } from './script.js';
import { readTranscript, transcriptUrl, type Asked } from './transcript.js';

const REGISTERED = 'a phone registers';
const isRequest = (said: DrachtioSaid | Asked): said is DrachtioSaid =>
  !isAsked(said) && said.text.includes('\r\nREGISTER ');

describe('the connection to drachtio-server, replaying transcripts', () => {
  const closing: (() => void)[] = [];

  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** Plays a scenario. @returns what it noted, once the edge has said everything that was recorded of it */
  async function replay(name: string, options: PeerOptions<DrachtioSaid> = {}): Promise<readonly string[]> {
    const { peer, server, words, serve } = await connected(name, options);
    const { world } = readTranscript<DrachtioSaid>(transcriptUrl('drachtio', name));
    await DRACHTIO_SCENARIOS[name]!({
      ...{ server, world, serve },
      act: () => Promise.resolve(),
      note: (word) => void words.push(word),
      noted: (word) => eventually(() => words.includes(word), `"${word}"`, 5_000).then(() => undefined),
    });
    await eventually(
      () => peer.next === undefined,
      () => `the end of the transcript\n${peer.next?.text}`,
      5_000,
    );
    expect(peer.surprises).to.deep.equal([]);
    return words;
  }

  async function connected(name: string, options: PeerOptions<DrachtioSaid>) {
    const peer = await DrachtioPeer.start(readTranscript<DrachtioSaid>(transcriptUrl('drachtio', name)), options);
    let handler: (request: SipRequest) => unknown = () => undefined;
    const server = new DrachtioServer({
      ...{ host: '127.0.0.1', port: peer.port, secret: 'a-secret-of-the-tests' },
      onRequest: (request) => void handler(request),
      log: quiet,
    });
    closing.push(
      () => server.stop(),
      () => peer.close(),
    );
    const words: string[] = [];
    server.start();
    const serve = (wanted: typeof handler): void => void (handler = wanted);
    return { peer, server, words, serve };
  }

  for (const name of Object.keys(DRACHTIO_SCENARIOS)) {
    it(name, async () => {
      expect(await replay(name)).to.deep.equal(DRACHTIO_EXPECTED[name]);
    });

    it(`${name}, in pieces of seven bytes`, async () => {
      expect(await replay(name, { pieceBytes: 7 })).to.deep.equal(DRACHTIO_EXPECTED[name]);
    });
  }

  it('ends in the middle of a message', async () => {
    const { lines } = readTranscript<DrachtioSaid>(transcriptUrl('drachtio', REGISTERED));
    const request = frameOf(lines.find(isRequest)!.text);
    const half = request.length / 2;
    const { peer, server, words, serve } = await connected(REGISTERED, { keeps: (said) => !isRequest(said) });
    serve(({ method }) => {
      words.push(method);
      server.stop();
      peer.say(Buffer.concat([request.subarray(half), request]));
    });
    await server.connected();
    peer.say(Buffer.concat([request, request.subarray(0, half)]));
    await eventually(() => peer.isLeft, 'the connection ends');
    expect(words).to.deep.equal(['REGISTER']);
  });

  for (const where of ['before', 'within'] as const) {
    it(`connects again after the connection broke ${where} a message`, async () => {
      const { peer, server } = await connected(REGISTERED, {
        breaksAt: (said) => (isRequest(said) ? where : undefined),
      });
      await eventually(() => peer.connections === 2 && server.isConnected, 'the second connection');
      expect(peer.surprises).to.deep.equal([]);
    });
  }
});
