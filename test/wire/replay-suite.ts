import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { Engine } from '../../core/ports/engine.js';
import { Heard } from '../conformance/rigs/heard.js';
import { carrierAt, connected, kindOf, legTo } from '../conformance/rigs/stage.js';
import { traceOf } from '../conformance/rigs/trace.js';
import { EXPECTED } from './expected.js';
import { answered, SCENARIOS, legEvent, type WireStage } from './scenarios.js';
import { isAsked, type PeerOptions } from './script.js';
import {
  readTranscript,
  transcriptUrl,
  type Asked,
  type ENGINES,
  type Said,
  type Transcript,
  type World,
} from './transcript.js';

export const PLAYED = 'an outbound call is played to and ends';

export interface Peer {
  readonly port: number;
  readonly surprises: readonly string[];
  breakOff(): void;
  fallSilent(): void;
  close(): void;
}

/** Timing of the adapter in a replay. */
export interface Pace {
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
}

export interface ReplayOptions<S extends Said, P extends Peer> {
  readonly name: (typeof ENGINES)[number];
  readonly startPeer: (transcript: Transcript<S>, options: PeerOptions<S>) => Promise<P>;
  readonly makeEngine: (port: number, world: World, pace: Pace) => Engine;
}

export interface Replayed<P extends Peer> extends WireStage {
  readonly peer: P;
}

export type Replay<S extends Said, P extends Peer> = (
  scenario: string,
  options?: PeerOptions<S>,
  pace?: Pace,
) => Promise<Replayed<P>>;

/** Hooks of the enclosing `describe`. @returns a function that starts an adapter connected to a peer that plays the scenario's transcript */
export function replayStage<S extends Said, P extends Peer>(made: ReplayOptions<S, P>): Replay<S, P> {
  const closing: (() => void | Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  return async (scenario, options = {}, pace = {}) => {
    const transcript = readTranscript<S>(transcriptUrl(made.name, scenario));
    const { world } = transcript;
    const peer = await made.startPeer(transcript, options);
    const engine = made.makeEngine(peer.port, world, pace);
    closing.push(
      () => engine.stop(),
      () => peer.close(),
    );
    const heard = new Heard();
    await engine.trunks.put(carrierAt(Number(world.trunk!.split(':')[1])));
    await connected({ engine, heard });
    return { engine, heard, world, peer, act: () => Promise.resolve() };
  };
}

export interface ReplayTraits<S extends Said> {
  readonly isEvent: (said: S) => boolean;
  /** Whether it ends a playback. */
  readonly isPlayed: (said: S) => boolean;
  /** Whether it is the last message about a leg. */
  readonly isEnd: (said: S) => boolean;
  /** Scenarios in which events follow each other, without a command between them. */
  readonly swapped: readonly string[];
  /** The command that dials. */
  readonly dial: RegExp;
}

/** Behaviour that every adapter must share, tested without an engine. */
export function replayConformance<S extends Said, P extends Peer>(
  name: (typeof ENGINES)[number],
  replay: Replay<S, P>,
  { isEvent, isPlayed, isEnd, swapped, dial }: ReplayTraits<S>,
): void {
  for (const [scenario, run] of Object.entries(SCENARIOS)) {
    it(scenario, async () => {
      const stage = await replay(scenario);
      expect(await run(stage)).to.deep.equal(EXPECTED[scenario]);
      expect(stage.peer.surprises).to.deep.equal([]);
    });
  }

  const playFile = async (stage: WireStage, legId: string): Promise<void> => {
    const items = [{ type: 'file', path: stage.world.prompt! }] as const;
    await stage.engine.media.play({ playbackId: newId(), target: { legId }, items });
  };

  it('reads messages in pieces of seven bytes', async () => {
    expect(await SCENARIOS[PLAYED]!(await replay(PLAYED, { pieceBytes: 7 }))).to.deep.equal(EXPECTED[PLAYED]);
  });

  for (const where of ['before', 'within'] as const) {
    it(`reports an outage ${where} an event, reconnects, and ends missing legs`, async () => {
      const stage = await replay(PLAYED, { breaksAt: (said) => (isPlayed(said) ? where : undefined) });
      const legId = await answered(stage);
      const before = stage.heard.events.length;
      await playFile(stage, legId);
      await stage.heard.untilType('engine.unreachable', before);
      await stage.heard.untilType('engine.connected', before);
      await legEvent(stage, 'leg.ended', legId);
      const words = traceOf(stage.heard.events, legId);
      expect(words.slice(2)).to.deep.equal(['play A started', 'play A stopped', 'ended 31']);
    });
  }

  it('finds out on reconnect that a leg ended without an event', async () => {
    const stage = await replay('a callee is busy', { keeps: (said) => !isEnd(said) });
    const leg = legTo({ type: 'sip', uri: stage.world.busy! });
    await stage.engine.legs.originate(leg);
    expect(traceOf(stage.heard.events, leg.legId)).to.deep.equal([]);
    const before = stage.heard.events.length;
    stage.peer.breakOff();
    await stage.heard.untilType('engine.connected', before);
    await legEvent(stage, 'leg.ended', leg.legId);
    expect(traceOf(stage.heard.events, leg.legId)).to.deep.equal(['ended 31']);
  });

  for (const scenario of swapped) {
    it(`${scenario}, with any two events swapped`, async () => {
      const { lines } = readTranscript<S>(transcriptUrl(name, scenario));
      const isOne = (line: Asked | S | undefined): boolean => line !== undefined && !isAsked(line) && isEvent(line);
      const places = lines.flatMap((line, at) => (isOne(line) && isOne(lines[at + 1]) ? at : []));
      expect(places).not.to.deep.equal([]);
      for (const at of places) {
        const reorders = (all: readonly (Asked | S)[]): (Asked | S)[] =>
          all.map((line, place) => (place === at ? all[at + 1] : place === at + 1 ? all[at] : line)!);
        const stage = await replay(scenario, { reorders });
        const words = await SCENARIOS[scenario]!(stage);
        const what = `${at}: ${words.join()}`;
        expect(
          words.filter((word) => word.startsWith('ended')),
          what,
        ).to.have.length(1);
        expect(words.at(-1), what).to.match(/^ended/);
        expect(
          EXPECTED[scenario]!.map((word) => word.replace(/ sip.*/, '')),
          what,
        ).to.include.members(words.map((word) => word.replace(/ sip.*/, '')));
        expect(stage.engine.status.status, what).to.equal('up');
        await stage.engine.stop();
        stage.peer.close();
      }
    }).timeout(30_000);
  }

  it('waits for an overloaded engine that responds slowly', async () => {
    const stage = await replay(PLAYED, { takesMs: () => 30 });
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('reports `indeterminate` if the response to a dial times out, and the later events', async () => {
    // undici checks its timeouts only about once per second.
    const takesMs = (_said: S, command?: string): number => (dial.test(command ?? '') ? 2_500 : 0);
    const stage = await replay(PLAYED, { takesMs }, { timeoutMs: 200, pingIntervalMs: 10_000 });
    const leg = legTo({ type: 'sip', uri: stage.world.callee! });
    expect(await kindOf(stage.engine.legs.originate(leg))).to.equal('indeterminate');
    await legEvent(stage, 'leg.answered', leg.legId);
    expect(traceOf(stage.heard.events, leg.legId)).to.deep.equal(['ringing', 'answered']);
  });

  it('detects an overloaded engine that accepts connections and never responds', async () => {
    const stage = await replay(PLAYED, {}, { pingIntervalMs: 100, timeoutMs: 300 });
    const before = stage.heard.events.length;
    stage.peer.fallSilent();
    const { reason } = await stage.heard.untilType('engine.unreachable', before);
    expect(reason).to.include('no reply to a ping');
  });
}
