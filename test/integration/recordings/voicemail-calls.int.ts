import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { VoicemailBoxRow, VoicemailRow } from '../../../core/data/rows.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { toneWav } from '../../support/judges/audio.js';
import { callRow } from '../../support/rows/rows.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { insertRows } from '../../support/rows/rows.js';
import { boxRow, messageRow } from '../../support/rows/voicemail-rows.js';

const PIN = '4711';

describe('Calls and voicemail', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let folder: string;
  callControllerEach((made) => (rig = made));
  before(() => (folder = mkdtempSync(join(tmpdir(), 'hatif-voicemail-'))));
  after(() => rmSync(folder, { recursive: true }));

  const numberId = async (): Promise<string> =>
    (await rig.db.query<{ id: string }>('SELECT id FROM numbers WHERE e164 = $1', [rig.agentNumber]))[0]!.id;

  /** Enables the box of the agent's number. */
  async function box(changes: Partial<VoicemailBoxRow> = {}): Promise<string> {
    const id = await numberId();
    await insertRows(rig.db, 'voicemail_boxes', [boxRow(rig.ground, id, changes)]);
    return id;
  }

  const calledIn = async (): Promise<string> => {
    rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.agentNumber,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    return rig.newest();
  };

  const said = (words: string): boolean => rig.said.some((text) => text.includes(words));
  const untilSaid = (words: string): Promise<void> => rig.until(() => Promise.resolve(said(words)));

  describe('that no agent answers', () => {
    it('are answered by the number’s box, in both languages', async () => {
      await box();
      rig.parties.set('agent', PARTIES.busy);
      const callId = await calledIn();
      const call = await rig.untilStatus(callId, 'answered');
      expect(call.program).to.deep.include({ spec: { type: 'voicemail', numberId: await numberId() } });
      await untilSaid('Nobody can take your call now');
      expect(said('اترك رسالتك بعد الصافرة')).to.equal(true);
      // This engine cannot record: the caller hears an apology and does not wait.
      await untilSaid('Your message cannot be taken now');
      await rig.untilStatus(callId, 'ended');
      expect(await rig.eventTypes(callId)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    it('hear the box’s greeting', async () => {
      await box({ greeting: { type: 'text', text: 'We are closed.', language: 'en' } });
      rig.parties.set('agent', PARTIES.busy);
      const callId = await calledIn();
      await rig.untilStatus(callId, 'ended');
      expect(said('Nobody can take')).to.equal(false);
    });

    it('end as before if the box or the organization’s voicemail is disabled', async () => {
      rig.parties.set('agent', PARTIES.busy);
      const id = await box({ enabled: false });
      expect(await rig.untilStatus(await calledIn(), 'missed')).to.include({ disposition: 'busy', hangup_q850: 17 });
      await rig.db.query('UPDATE voicemail_boxes SET enabled = true WHERE number_id = $1', [id]);
      const { organizationId } = rig.ground;
      await rig.db.query(`UPDATE organizations SET flags = '{"voicemail": false}' WHERE id = $1`, [organizationId]);
      expect(await rig.untilStatus(await calledIn(), 'missed')).to.include({ disposition: 'busy' });
    });
  });

  it('reach the box immediately if the number is bound to it', async () => {
    await box();
    await rig.db.query(`UPDATE numbers SET binding = '{"type": "voicemail", "target": null}' WHERE e164 = $1`, [
      rig.agentNumber,
    ]);
    const callId = await calledIn();
    await rig.untilStatus(callId, 'ended');
    expect((await rig.legs(callId)).map(({ role }) => role)).to.deep.equal(['customer']);
  });

  describe('to *98', () => {
    const open = async (): Promise<string> => {
      const aor = `a${rig.ground.projectId}`;
      const legId = rig.engine.callIn({
        source: { type: 'softphone', aor },
        dialled: '*98',
        callerId: { number: '1001', name: null },
      });
      await rig.settle();
      return legId;
    };
    const untilEnded = async (): Promise<void> => {
      await rig.untilStatus(await rig.newest(), 'ended');
    };
    const press = async (legId: string, digits: string): Promise<void> => {
      rig.engine.pressDigits(legId, digits);
      await rig.settle();
    };
    const withPin = (pin = PIN): Promise<string> => {
      const set = async (): Promise<string> => {
        const id = await box();
        await rig.voicemail.boxes.put({ projectId: rig.ground.projectId, sandbox: false }, id, {
          ...{
            enabled: true,
            greeting: null,
            max_seconds: 120,
            transcribe: false,
            notify_email: null,
            notify_audio: true,
            notify_message: null,
            pin,
          },
        });
        return id;
      };
      return set();
    };

    async function leave(boxId: string, changes: Partial<VoicemailRow> = {}): Promise<string> {
      const call = callRow(rig.ground, { status: 'ended', ended_at: new Date() });
      const recording = recordingRow(call, { channels: 1, box_id: boxId });
      const file = join(folder, 'message.wav');
      writeFileSync(file, toneWav({ hz: 440, seconds: 1 }));
      await rig.voicemail.storages.of('local').put(recording.storage_key!, file, 'audio/wav');
      await insertRows(rig.db, 'calls', [call]);
      await insertRows(rig.db, 'recordings', [recording]);
      await insertRows(rig.db, 'voicemails', [messageRow(recording, boxId, changes)]);
      return recording.id;
    }
    const heardAt = async (id: string): Promise<Date | null> =>
      (await rig.db.query<{ listened_at: Date | null }>('SELECT listened_at FROM voicemails WHERE id = $1', [id]))[0]!
        .listened_at;

    it('announce that there is no box, or no PIN', async () => {
      await open();
      await untilSaid('You have no voicemail');
      await untilEnded();
      await box();
      await open();
      await untilSaid('No PIN is set');
      await untilEnded();
    });

    it('end after three wrong PINs, and are locked out for a while after five', async () => {
      await withPin();
      const first = await open();
      await untilSaid('Enter your PIN');
      for (let tries = 0; tries < 3; tries += 1) await press(first, '0000#');
      await untilEnded();
      const second = await open();
      await press(second, '0000#');
      await press(second, '0000#');
      await press(second, `${PIN}#`);
      await untilSaid('too many wrong attempts');
      await untilEnded();
    });

    it('announce the number of messages, play new ones first, and let the agent skip and delete them', async () => {
      const boxId = await withPin();
      const old = await leave(boxId, { listened_at: new Date(0) });
      const [first, second] = [await leave(boxId), await leave(boxId, { from_number: 'anonymous' })];
      const legId = await open();
      await press(legId, `${PIN}#`);
      await untilSaid('You have two new messages and one saved message.');
      expect(said('لديك رسالتان جديدتان ورسالة محفوظة واحدة.'), rig.said.join('\n')).to.equal(true);
      expect(
        rig.said.some((text) => /^Message from zero, five, zero\. .*\. Today, /.test(text)),
        rig.said.join('\n'),
      ).to.equal(true);
      expect(rig.said.some((text) => /^رسالة من الرقم صفر، خمسة، صفر\. .*\. اليوم، الساعة /.test(text))).to.equal(true);
      expect(await heardAt(first)).to.equal(null);
      await press(legId, '2');
      await rig.until(async () => (await heardAt(first)) !== null);
      await press(legId, '4');
      await press(legId, '2');
      await press(legId, '3');
      await untilSaid('The message was deleted');
      await rig.until(
        async () => (await rig.db.query('SELECT 1 FROM voicemails WHERE id = $1', [second])).length === 0,
      );
      await press(legId, '2');
      await untilSaid('There are no more messages');
      await press(legId, '#');
      await untilSaid('Goodbye');
      await untilEnded();
      expect((await heardAt(old))?.getTime()).to.equal(0);
      const timeline = await rig.db.query('SELECT data FROM call_timeline WHERE call_id = $1', [await rig.newest()]);
      expect(JSON.stringify(timeline)).not.to.include(PIN);
    });

    it('end if no key is pressed', async () => {
      await withPin();
      const legId = await open();
      await press(legId, `${PIN}#`);
      await untilSaid('You have no messages');
      await untilSaid('Goodbye');
      await untilEnded();
    });

    it('continue after the PIN when the process restarts', async () => {
      await withPin();
      const legId = await open();
      await press(legId, `${PIN}#`);
      await untilSaid('You have no messages');
      const before = rig.said.length;
      await rig.restart();
      await rig.until(() =>
        Promise.resolve(rig.said.slice(before).some((text) => text.includes('You have no messages'))),
      );
      await press(legId, '#');
      await untilEnded();
    });
  });
});
