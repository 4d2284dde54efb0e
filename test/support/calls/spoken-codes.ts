import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openSpeech } from '../../../adapters/speech/index.js';
import type { SpokenLanguage } from '../../../core/model/spoken/index.js';
import { mediaFolder } from '../../../main/install/places.js';
import { loudSeconds } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import type { Baresip } from '../phones/index.js';
import type { TestPlatform } from '../platform/platform.js';
import { digitPrompts, digitsSaid, type DigitPrompts } from '../judges/spoken-digits.js';
import { withPlatform } from '../platform/with-platform.js';

/** The call lasts half a minute. */
const CALL_MS = 60_000;

/**
 * Tests codes that are spoken to a real phone.
 * @param cases languages and numbers of digits
 * @param isLong whether also variations are tested
 */
export function describeSpokenCodes(cases: readonly (readonly [SpokenLanguage, number])[], isLong: boolean): void {
  describe('a code spoken by telephone', function () {
    this.timeout(120_000);
    let stage: TestPlatform;
    let carrier: Baresip;
    let last = 0;
    let speechDir: string;

    withPlatform(async (made) => {
      stage = made;
      carrier = await stage.carrier();
      speechDir = join(mediaFolder(stage.settings), 'speech');
    });

    const prompts = async (language: SpokenLanguage): Promise<DigitPrompts> =>
      digitPrompts(await openSpeech({ espeak: stage.parts.speech }, speechDir), language);
    async function verify(json: object): Promise<string> {
      const { status, body, text } = await stage.request('POST', '/v1/verify', {
        json: { to: `+96650123451${last++}`, channel: 'voice', ...json },
      });
      expect(status, text).to.equal(201);
      return String(body?.verification_id);
    }
    async function over(call: string): Promise<void> {
      await carrier.closed(call, CALL_MS);
    }
    async function check(id: string, code: string): Promise<unknown> {
      const { body } = await stage.request('POST', '/v1/verify/check', { json: { verification_id: id, code } });
      return [body?.state, body?.verified];
    }

    for (const [language, length] of cases) {
      it(`is heard twice, digit by digit, and verifies: ${length} in ${language}`, async () => {
        const spoken = await prompts(language);
        const id = await verify({ language, code_length: length });
        const files = readdirSync(speechDir).sort();
        const call = await carrier.incoming();
        await carrier.answer(call);
        await over(call);
        const said = digitsSaid(carrier.heard(call), spoken);
        const code = said.slice(0, length);
        expect(said)
          .to.match(/^\d+$/)
          .and.to.equal(code + code);
        expect(readdirSync(speechDir).sort(), 'no audio file of the whole code').to.deep.equal(files);
        expect(await check(id, code)).to.deep.equal(['verified', true]);
        const event = await stage.receiver.waitFor(
          ({ type, data }) => type === 'verify.completed' && data.verification_id === id,
          'the end of the verification',
        );
        expect(event.data).to.include({ state: 'verified', channel: 'voice' });
        expect(await stage.latest(), 'the API shows no such call').to.deep.equal([]);
        const timeline = JSON.stringify(
          await stage.platform.stores.db.query(
            `SELECT line.* FROM call_timeline AS line JOIN calls ON calls.id = call_id`,
          ),
        );
        expect(timeline).to.contain('code.spoken').and.not.to.contain(code);
        expect(JSON.stringify(stage.receiver.requests)).not.to.contain(code);
        const log = readFileSync(join(stage.settings.HATIF_DATA_DIR, 'logs', 'hatif.log'), 'utf8');
        expect(log).not.to.equal('');
        // Any log may contain these four digits by chance.
        if (length >= 8) expect(log).not.to.contain(code);
      });
    }

    if (!isLong) return;

    it('is spoken again after a restart of the application', async () => {
      const id = await verify({ language: 'en', code_length: 4 });
      const call = await carrier.incoming();
      await carrier.answer(call);
      await carrier.waitToHear((audio) => loudSeconds(audio) > 3, { callId: call });
      await stage.halt();
      await stage.resume();
      await over(call);
      const said = digitsSaid(carrier.heard(call), await prompts('en'));
      expect(said).to.match(/(\d{4})\1$/);
      expect(await check(id, said.slice(-4))).to.deep.equal(['verified', true]);
    });

    it('is not spoken if the call is not answered, and can be resent', async () => {
      const id = await verify({ language: 'en', code_length: 4 });
      await carrier.reject(await carrier.incoming());
      const early = await stage.request('POST', `/v1/verify/${id}/resend`);
      expect([early.status, early.body?.error_code]).to.deep.equal([429, 'VERIFY_RATE_LIMITED']);
      await stage.platform.stores.db.query(
        `UPDATE one_time_codes SET sent_at = sent_at - interval '30 seconds' WHERE id = $1`,
        [id],
      );
      const answer = await stage.request('POST', `/v1/verify/${id}/resend`);
      expect(answer.status, answer.text).to.equal(200);
      const call = await carrier.incoming();
      await carrier.answer(call);
      await over(call);
      const said = digitsSaid(carrier.heard(call), await prompts('en'));
      expect(said).to.match(/^(\d{4})\1$/);
      expect(await check(id, said.slice(0, 4))).to.deep.equal(['verified', true]);
      const live = `SELECT id FROM calls WHERE status NOT IN ('ended', 'missed')`;
      await eventually(async () => (await stage.platform.stores.db.query(live)).length === 0, 'the calls are over');
      expect(stage.receiver.requests.filter(({ type }) => type.startsWith('call.'))).to.deep.equal([]);
    });
  });
}
