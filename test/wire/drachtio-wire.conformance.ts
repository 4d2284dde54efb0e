import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { DrachtioServer } from '../../sip/drachtio/server.js';
import type { SipRequest } from '../../sip/message/request.js';
import { TestAuthority } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import { SipSocket } from '../support/peers/sip/socket.js';
import { describeDrachtio, DrachtioHost } from '../support/platform/drachtio.js';
import { DRACHTIO_EXPECTED, DRACHTIO_SCENARIOS, type Phones } from './drachtio-scenarios.js';
import { DrachtioRecorder } from './drachtio-recorder.js';
import { transcriptUrl, writeTranscript } from './transcript.js';

/** Set this to record the transcripts again. */
const writes = process.env.HATIF_RECORD_WIRE === '1';

describeDrachtio('drachtio-server transcripts', () => {
  let host: DrachtioHost;
  let authority: TestAuthority;
  let recorder: DrachtioRecorder;
  let server: DrachtioServer;
  let phones: Phones;
  let handler: (request: SipRequest) => unknown;

  before(async function () {
    this.timeout(30_000);
    authority = await TestAuthority.create();
    host = await DrachtioHost.start(await authority.issue());
  });
  beforeEach(async () => {
    recorder = await DrachtioRecorder.start(Number(host.settings.DRACHTIO_PORT));
    server = new DrachtioServer({
      ...{ host: '127.0.0.1', port: recorder.port, secret: host.settings.DRACHTIO_SECRET! },
      onRequest: (request) => void handler(request),
      log: quiet,
    });
    server.start();
    await server.connected();
    const [caller, callee, browser] = await Promise.all([
      SipSocket.open(host.sipPort),
      SipSocket.open(host.sipPort),
      SipSocket.openWss(host.wssPort, authority.cert),
    ]);
    phones = { caller, callee, browser };
  });
  afterEach(() => {
    server.stop();
    recorder.close();
    for (const phone of [phones.caller, phones.callee, phones.browser]) phone.close();
  });
  after(() => host.stop());

  for (const [name, run] of Object.entries(DRACHTIO_SCENARIOS)) {
    it(name, async () => {
      const words: string[] = [];
      const world = { callee: `sip:callee@127.0.0.1:${phones.callee.port}` };
      await run({
        ...{ server, world },
        serve: (wanted) => void (handler = wanted),
        act: (deed) => deed(phones),
        note: (word) => void words.push(word),
        noted: (word) => eventually(() => words.includes(word), `"${word}"`).then(() => undefined),
      });
      expect(words).to.deep.equal(DRACHTIO_EXPECTED[name]);
      if (!writes) return;
      const file = transcriptUrl('drachtio', name);
      await mkdir(new URL('./', file), { recursive: true });
      await writeFile(file, writeTranscript({ world, lines: recorder.lines }));
    });
  }
});
