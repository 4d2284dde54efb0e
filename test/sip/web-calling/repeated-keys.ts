import { expect } from 'chai';
import { audioAddress } from '../../chaos/phones/sip-message.js';
import type { Database } from '../../../core/data/database.js';
import { CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { Keypad } from '../../support/peers/keypad.js';
import { SessionPeer } from '../../support/peers/session-peer.js';
import type { Answer } from '../../support/api.js';
import type { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';

/** Equal keys in a row, with a last one that occurs once. */
const KEYS = '1599#0011*';
const ROUNDS = 10;
/** The package presses keys of 160 ms: 960 ms if an engine took the clock of Opus for that of telephones. */
const LONGEST_KEY_MS = 900;
/** Shorter keys are not recognized everywhere (ITU-T Q.24). */
const SHORTEST_KEY_MS = 40;

export interface KeysStage {
  readonly url: string;
  readonly db: Database;
  /** Where calls to the trunk come from. */
  readonly sipPort: number;
  /** Of the customer behind the trunk. */
  readonly carrierPort: number;
  request(method: string, path: string, json?: object): Promise<Answer>;
  softphone(): Promise<Baresip>;
  /** Resolves once the call has ended. */
  over(callId: string): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The tests of keys that are pressed twice in a row, the same on every engine: each arrives once at the other side, by
 * the packets there, and once in the events of the call, however often it is tried.
 * @param open called before the first test
 */
export function repeatedKeys(open: () => Promise<KeysStage>): void {
  let stage: KeysStage;
  let customer: SessionPeer;
  let audio: Keypad;

  before(async () => {
    stage = await open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    audio = await Keypad.open();
    customer = await SessionPeer.start(stage.sipPort, [], audio.port, stage.carrierPort);
  });
  afterEach(() => {
    audio.close();
    customer.close();
  });

  const answered = async (): Promise<void> => {
    const { body } = await customer.message('INVITE', ({ method }) => method === 'INVITE');
    audio.connect(audioAddress(body)!);
  };
  const pressed = async (press: () => Promise<unknown>): Promise<void> => {
    await eventually(() => audio.heard.isSounding, 'both sides are connected');
    for (let round = 1; round <= ROUNDS; round += 1) {
      await press();
      const isHeard = (): boolean => audio.heard.text.split('*').length > round;
      await eventually(isHeard, () => `round ${round} of ${KEYS}: ${audio.heard.text}`);
    }
    expect(audio.heard.text).to.equal(KEYS.repeat(ROUNDS));
  };
  const latest = async (): Promise<string> => {
    const [call] = await stage.db.query<{ id: string }>('SELECT id FROM calls ORDER BY id DESC LIMIT 1');
    return call!.id;
  };
  /** How many keys of the call were reported to the project. */
  const reported = async (callId: string): Promise<number> => {
    const [sum] = await stage.db.query<{ keys: number }>(
      `SELECT coalesce(sum((data->'dtmf'->>'digits_count')::int), 0)::int AS keys
       FROM events WHERE call_id = $1 AND type = 'call.dtmf'`,
      [callId],
    );
    return sum!.keys;
  };
  /** Hangs up when the last key has been reported, and counts those of the whole call. */
  const counted = async (expected: number, hangUp: () => Promise<unknown>): Promise<void> => {
    const callId = await latest();
    await eventually(async () => (await reported(callId)) >= expected, `${expected} keys are reported`);
    await hangUp();
    await stage.over(callId);
    expect(await reported(callId), audio.heard.text).to.equal(expected);
  };

  /** A page calls the customer, whose phone answers at once. */
  const inBrowser = async (context: Mocha.Context, act: (tab: WebPhone) => Promise<void>): Promise<void> => {
    const program = browserProgram();
    if (program === null) skipBecause(context, 'there is no Chromium on this machine');
    const site = await Website.start();
    site.show('<h1>Calls</h1>');
    const browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    try {
      await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
      const json = { identity: 'reem', allow: { outgoing: ['number'], numbers: [CUSTOMER] } };
      const made = await stage.request('POST', '/v1/web-calling/sessions', json);
      expect(made.status, made.text).to.equal(201);
      const tab = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url });
      expect(await tab.start(String(made.body?.token))).to.equal(null);
      expect(await tab.connect(CUSTOMER)).to.equal(null);
      await act(tab);
    } finally {
      await browser.close();
      await site.close();
    }
  };

  it('of a browser arrive once each', function () {
    return inBrowser(this, async (tab) => {
      await answered();
      await tab.until('call connected');
      await pressed(() => tab.run(`web.call.sendDigits('${KEYS}')`));
      await counted(KEYS.length * ROUNDS, () => tab.run('web.call.hangup()'));
      for (const { key, durationMs } of audio.heard.all) {
        expect(durationMs, key).to.be.within(SHORTEST_KEY_MS, LONGEST_KEY_MS);
      }
    });
  });

  it('of a browser are reported if they are pressed before the audio is connected', function () {
    return inBrowser(this, async (tab) => {
      const press = `web.call.sendDigits('1')`;
      await tab.run(`web.call.connectedAt ? ${press} : void web.call.once('connected', () => ${press})`);
      await answered();
      const callId = await latest();
      await eventually(async () => (await reported(callId)) > 0, 'the key is reported');
      await tab.run('web.call.hangup()');
      await stage.over(callId);
    });
  });

  it('of a softphone arrive once each', async () => {
    const phone = await stage.softphone();
    const id = await phone.dial(CUSTOMER);
    await answered();
    await phone.waitFor('CALL_ESTABLISHED', { callId: id });
    await pressed(() => phone.sendDtmf(KEYS));
    await counted(KEYS.length * ROUNDS, () => phone.hangup(id));
  });
}
