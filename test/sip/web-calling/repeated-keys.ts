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

export interface KeysStage {
  readonly url: string;
  readonly db: Database;
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
 * The tests of keys that are pressed twice in a row, the same on every engine: each arrives once at the other side and
 * once in the events of the call, however often it is tried.
 * @param open called before the first test
 * @param phones whose keys are tried
 */
export function repeatedKeys(open: () => Promise<KeysStage>, phones: readonly ('browser' | 'softphone')[]): void {
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
    await eventually(() => audio.hasAudio, 'both sides are connected');
    for (let round = 1; round <= ROUNDS; round += 1) {
      await press();
      const isHeard = (): boolean => audio.heard.split('*').length > round;
      await eventually(isHeard, () => `round ${round} of ${KEYS}: ${audio.heard}`);
    }
    expect(audio.heard).to.equal(KEYS.repeat(ROUNDS));
  };
  const ended = async (hangUp: () => Promise<unknown>): Promise<void> => {
    const [call] = await stage.db.query<{ id: string }>('SELECT id FROM calls ORDER BY id DESC LIMIT 1');
    await hangUp();
    await stage.over(call!.id);
    const [reported] = await stage.db.query<{ keys: number }>(
      `SELECT coalesce(sum((data->'dtmf'->>'digits_count')::int), 0)::int AS keys
       FROM events WHERE call_id = $1 AND type = 'call.dtmf'`,
      [call!.id],
    );
    expect(reported?.keys).to.equal(KEYS.length * ROUNDS);
  };

  const ofBrowser = async function (this: Mocha.Context): Promise<void> {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    const site = await Website.start();
    site.show('<h1>Calls</h1>');
    const browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    try {
      await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
      const json = { identity: 'reem', allow: { outgoing: ['number'] } };
      const { body } = await stage.request('POST', '/v1/web-calling/sessions', json);
      const tab = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url });
      expect(await tab.start(String(body?.token))).to.equal(null);
      expect(await tab.connect(CUSTOMER)).to.equal(null);
      await answered();
      await tab.until('call connected');
      await pressed(() => tab.run(`web.call.sendDigits('${KEYS}')`));
      await ended(() => tab.run('web.call.hangup()'));
    } finally {
      await browser.close();
      await site.close();
    }
  };

  const ofSoftphone = async (): Promise<void> => {
    const phone = await stage.softphone();
    const id = await phone.dial(CUSTOMER);
    await answered();
    await phone.waitFor('CALL_ESTABLISHED', { callId: id });
    await pressed(() => phone.sendDtmf(KEYS));
    await ended(() => phone.hangup(id));
  };

  for (const phone of phones) {
    it(`of a ${phone} arrive once each`, phone === 'browser' ? ofBrowser : ofSoftphone);
  }
}
