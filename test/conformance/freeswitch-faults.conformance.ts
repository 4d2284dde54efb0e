import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { MediaItem } from '../../core/ports/engine.js';
import { EndedLegs } from '../../engine/freeswitch/ended-legs.js';
import { freeswitchXml } from '../../engine/freeswitch/xml.js';
import { eventually } from '../support/eventually.js';
import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { quiet } from '../support/logger.js';
import { callTo, faultsConformance, faultsStage, untilLeg, type FaultsStage } from './suites/faults-suite.js';
import { freeswitchGround } from './rigs/freeswitch-engine.js';
import type { Of } from './rigs/heard.js';
import { carrierAt } from './rigs/stage.js';

describeFreeswitch('FreeSWITCH faults', () => {
  let host: FreeswitchHost;
  const stage = faultsStage(async () => {
    host = await FreeswitchHost.start();
    return freeswitchGround(host);
  });

  faultsConformance(stage, {
    refusal: /refused the password/,
    version: /^1\.10/,
    dial: /^bgapi originate/m,
    keepsTrunks: false,
  });

  it('reports the playbacks that ended during an outage and plays the queued ones', async () => {
    const opened = await stage.connected();
    const { engine, heard } = opened;
    const { legId } = await stage.answered(opened);
    const play = async (items: readonly MediaItem[]): Promise<string> => {
      const playbackId = newId();
      await engine.media.play({ playbackId, target: { legId }, items });
      return playbackId;
    };
    const finished = (playbackId: string): Promise<Of<'play.finished'>> => heard.event('play.finished', { playbackId });
    const first = await play([{ type: 'silence', durationMs: 300 }]);
    const second = await play([{ type: 'tone', tone: 'busy' }]);
    await untilLeg(heard, legId, 'play.started');
    const before = heard.events.length;
    stage.proxy.cut();
    await heard.untilType('engine.unreachable', before);
    const [after, longer] = [await stage.connected({ port: host.eslPort }), newId()];
    await after.engine.media.play({
      playbackId: longer,
      target: { legId },
      items: [{ type: 'silence', durationMs: 400 }],
    });
    await after.heard.event('play.finished', { playbackId: longer });
    stage.proxy.mend();
    expect((await finished(first)).outcome).to.equal('completed');
    await heard.event('play.started', { playbackId: second });
    await engine.media.stop(second);
    expect((await finished(second)).outcome).to.equal('stopped');
  });

  it('admits a carrier as soon as an application process answers, even if none answered before', async () => {
    const { engine, heard } = await stage.connected();
    const caller = await stage.phone({ user: '+966501115555' });
    const carrier = carrierAt(caller.sipPort);
    host.answerNothing();
    await engine.trunks.put(carrier);
    await caller.dial(`sip:9203@${host.sipAddress}`);
    await caller.closed();
    const source = {
      softphone: () => undefined,
      trunks: () => [carrier],
      probeSeconds: 30,
      phonesNeedTls: false,
      codecs: [],
    };
    host.answer((request) => freeswitchXml(request, source));
    await eventually(
      async () => (await host.api('acl 127.0.0.1 hatif-trunks')).trim() === 'true',
      'the carrier is admitted',
    );
    await caller.dial(`sip:9203@${host.sipAddress}`);
    expect((await heard.untilType('leg.incoming')).dialled).to.equal('9203');
  });

  recordsEnds(stage, () => host);

  it('lists a caller who waits, before the trunk of the call is known to the new process', async () => {
    const first = await stage.connected();
    const caller = await stage.phone({ user: '+966501113333' });
    const carrier = carrierAt(caller.sipPort);
    await first.engine.trunks.put(carrier);
    await caller.dial(`sip:9204@${host.sipAddress}`);
    const { legId } = await first.heard.untilType('leg.incoming');
    await first.engine.stop();
    const second = await stage.connected();
    const legs = async () => (await second.engine.list()).legs.filter((leg) => leg.legId === legId);
    expect((await legs()).map(({ state }) => state)).to.deep.equal(['ringing']);
    expect(second.heard.events.map(({ type }) => type)).not.to.include('leg.incoming');
    await second.engine.trunks.put(carrier);
    expect((await second.heard.untilType('leg.incoming')).legId).to.equal(legId);
    await caller.hangup();
    await untilLeg(second.heard, legId, 'leg.ended');
    expect(await legs()).to.deep.equal([]);
  });

  it('resumes a leg that the previous process put on hold', async () => {
    const first = await stage.connected();
    const { legId } = await stage.answered(first);
    await first.engine.legs.hold(legId);
    await first.engine.stop();
    const second = await stage.connected();
    await second.engine.legs.unhold(legId);
    expect(await host.api(`uuid_getvar ${legId} current_application`)).to.equal('park');
    await second.engine.legs.hold(legId);
    expect(await host.api(`uuid_getvar ${legId} current_application`)).to.equal('endless_playback');
  });
});

describeFreeswitch('FreeSWITCH faults, with ends of legs posted to the application', () => {
  let host: FreeswitchHost;
  const stage = faultsStage(async () => {
    host = await FreeswitchHost.start({ legEnds: 'http' });
    return freeswitchGround(host);
  });

  recordsEnds(stage, () => host);
});

function recordsEnds(stage: FaultsStage, hostOf: () => FreeswitchHost): void {
  it('records the ends of calls while no application process is running', async () => {
    const host = hostOf();
    const first = await stage.connected();
    const caller = await stage.phone({ user: '+966501114444' });
    await first.engine.trunks.put(carrierAt(caller.sipPort));
    await caller.dial(`sip:9202@${host.sipAddress}`);
    const { legId: incoming } = await first.heard.untilType('leg.incoming');
    const { legId, callee } = await stage.answered(first);
    const { at: answeredAt } = await untilLeg(first.heard, legId, 'leg.answered');
    const ringing = callTo((await stage.phone({ user: 'ringing' })).uri, { ringTimeoutSeconds: 1 });
    await first.engine.legs.originate(ringing);
    await first.engine.stop();
    host.answerNothing();
    await callee.hangup();
    await caller.hangup();
    const records = new EndedLegs({ directory: host.detailDir, log: quiet });
    const wanted = [incoming, legId, ringing.legId].map((id) => ({ id, created_at: answeredAt }));
    const details = await eventually(async () => {
      const found = await records.of(wanted);
      return found && [...found.values()].every(({ end }) => end) && found;
    }, 'the CDRs have all ends');
    expect([...details.values()].map(({ end }) => [end!.cause.q850, end!.cause.sipCode])).to.deep.equal([
      [16, null],
      [16, null],
      [19, null],
    ]);
    expect(Math.abs(details.get(legId)!.answeredAt!.getTime() - answeredAt.getTime())).to.be.below(1_000);
    expect(details.get(incoming)!.answeredAt).to.equal(null);
    const unknown = newId();
    expect(await records.of([{ id: unknown, created_at: new Date() }])).to.deep.equal(
      new Map([[unknown, { answeredAt: null, end: null }]]),
    );
  });
}
