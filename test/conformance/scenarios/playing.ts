import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Rig } from '../rigs/rig.js';
import { kindOf, stage } from '../rigs/stage.js';

const SHORT_MS = 400;

/** Scenarios with playbacks, from their start to their end. */
export function playing(rig: () => Rig): void {
  const { until, answered, ended, play, finished, hangUp } = stage(rig);

  describe('playing', () => {
    it('plays to the end', async () => {
      const { legId } = await answered();
      await finished(legId, await play(legId, [{ type: 'file', path: await rig().audio(SHORT_MS) }]));
      expect(await hangUp(legId)).to.deep.equal([
        'ringing',
        'answered',
        'play A started',
        'play A completed',
        'ended 16',
      ]);
    });

    it('takes no less than the duration of the audio and its repeats', async () => {
      const { legId } = await answered();
      const playbackId = await play(legId, [{ type: 'file', path: await rig().audio(SHORT_MS) }], 3);
      const started = await until(legId, 'play.started');
      const { at } = await finished(legId, playbackId);
      // More than two of three, because an engine may report the start late.
      expect(at.getTime() - started.at.getTime()).to.be.above(2 * SHORT_MS);
    });

    it('plays a list as one playback', async () => {
      const { legId } = await answered();
      const path = await rig().audio(SHORT_MS);
      const items = [
        { type: 'tone', tone: 'beep' },
        { type: 'silence', durationMs: 200 },
        { type: 'file', path },
      ] as const;
      await finished(legId, await play(legId, items, 2));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A completed']);
    });

    it('stops a playback, even an endless tone, and ignores a second stop', async () => {
      const { legId } = await answered();
      const playbackId = await play(legId, [{ type: 'tone', tone: 'ringback' }]);
      await until(legId, 'play.started');
      await rig().engine.media.stop(playbackId);
      await finished(legId, playbackId);
      await rig().engine.media.stop(playbackId);
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A stopped']);
    });

    it('queues playbacks that are requested during another one', async () => {
      const { legId } = await answered();
      const path = await rig().audio(SHORT_MS);
      await play(legId, [{ type: 'file', path }]);
      await finished(legId, await play(legId, [{ type: 'file', path }]));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal([
        'play A started',
        'play A completed',
        'play B started',
        'play B completed',
      ]);
    });

    it('reports missing audio', async () => {
      const { legId } = await answered();
      await finished(legId, await play(legId, [{ type: 'file', path: '/nowhere/to/be/heard' }]));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A failed']);
    });

    it('finishes current and queued playbacks when this side hangs up', async () => {
      const { legId } = await answered();
      const items = [{ type: 'tone', tone: 'busy' }] as const;
      await play(legId, items);
      await until(legId, 'play.started');
      await play(legId, items);
      const words = await hangUp(legId);
      expect(words.slice(2)).to.deep.equal(['play A started', 'play A stopped', 'play B stopped', 'ended 16']);
    });

    it('finishes the playback when the remote side hangs up', async () => {
      const { legId, callee } = await answered();
      await play(legId, [{ type: 'tone', tone: 'congestion' }]);
      await until(legId, 'play.started');
      await callee.hangUp(legId);
      expect((await ended(legId)).slice(2)).to.deep.equal(['play A started', 'play A stopped', 'ended 16']);
    });

    it('rejects a playback on an unknown leg', async () => {
      expect(await kindOf(play(newId(), [{ type: 'tone', tone: 'beep' }]))).to.equal('no_such_leg');
    });
  });
}

/** Scenarios with DTMF in both directions. */
export function digits(rig: () => Rig): void {
  const { until, answered, hangUp } = stage(rig);

  describe('digits', () => {
    it('reports each digit once', async () => {
      const { legId, callee } = await answered();
      await callee.press(legId, '12#');
      await until(legId, 'leg.dtmf', { digit: '#' });
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['dtmf 1', 'dtmf 2', 'dtmf #', 'ended 16']);
    });

    it('sends digits', async () => {
      const { legId, callee } = await answered();
      await rig().engine.legs.sendDtmf(legId, '7w*');
      await callee.received(legId, '7*');
    });

    it('reports digits, including #, while the leg is echoed', async () => {
      const { legId, callee } = await answered();
      await rig().engine.legs.echo(legId);
      await rig().engine.legs.echo(legId);
      await callee.press(legId, '1#2');
      await until(legId, 'leg.dtmf', { digit: '2' });
      await rig().engine.legs.stopEcho(legId);
      await rig().engine.legs.stopEcho(legId);
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['dtmf 1', 'dtmf #', 'dtmf 2', 'ended 16']);
    });
  });
}
