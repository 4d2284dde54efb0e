import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { openSpeech } from '../../../adapters/speech/index.js';
import type { FlowLanguage } from '../../../core/model/flow/parts/fields.js';
import type { Speech } from '../../../core/ports/speech.js';
import { ask } from '../api.js';
import { readWav, toneWav, type Audio } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import type { Baresip } from '../phones/index.js';
import type { ProcessStage } from '../stages/process-stage.js';

type Json = Record<string, unknown>;

const ALL_DAY = [{ from: '00:00', to: '24:00' }];
/** Opening hours of a week without closed hours. */
export const EVERY_DAY = Object.fromEntries(
  ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].map((day) => [day, ALL_DAY]),
);

/** One call to the line. */
export interface FlowCall {
  /** The phone's id of the call. */
  readonly id: string;
  readonly callId: string;
}

/** The demo line bound to a call flow, and a phone that calls it; identical on every engine. */
export class FlowLine {
  private constructor(
    private readonly stage: ProcessStage,
    private readonly caller: Baresip,
    readonly id: string,
    readonly speech: Speech,
  ) {}

  static async open(stage: ProcessStage, caller: Baresip): Promise<FlowLine> {
    const numbers = (await stage.request('GET', '/v1/numbers')).body?.data as { id: string; e164: string }[];
    const line = numbers.find(({ e164 }) => e164 === stage.bootstrap.line_number)!;
    const espeak = await resolveTool('espeak-ng', {
      cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache'),
    });
    return new FlowLine(stage, caller, line.id, await openSpeech({ espeak }, join(stage.dataDir, 'media', 'speech')));
  }

  /** Sends a request that must succeed. */
  async good(method: string, path: string, json?: object): Promise<Json> {
    const answer = await this.stage.request(method, path, json);
    expect(answer.status, answer.text).to.be.within(200, 201);
    return answer.body ?? {};
  }

  /** Uploads a tone as an audio file. @returns its id */
  async upload(hz: number, seconds = 1.2): Promise<string> {
    const { base_url: url, live_key: key } = this.stage.bootstrap;
    const raw = new FormData();
    raw.set('file', new Blob([Uint8Array.from(toneWav({ hz, seconds }))]), `${hz}.wav`);
    const answer = await ask(url, 'POST', '/v1/callflows/audio', { key, raw });
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.id);
  }

  /** Creates an active flow that starts at its first node. @returns its id */
  async flow(nodes: Json): Promise<string> {
    const json = { name: 'flow', kind: 'graph', definition: definitionOf(nodes) };
    const { id } = await this.good('POST', '/v1/callflows', json);
    await this.good('POST', `/v1/callflows/${String(id)}/activate`, {});
    return String(id);
  }

  /** Creates a new version of an active flow, for later calls. */
  async change(flowId: string, nodes: Json): Promise<void> {
    const { version } = await this.good('GET', `/v1/callflows/${flowId}`);
    const json = { name: 'flow', kind: 'graph', version, definition: definitionOf(nodes) };
    await this.good('PUT', `/v1/callflows/${flowId}`, json);
  }

  /** Binds the line to the flow and calls it. */
  async call(flowId: string): Promise<FlowCall> {
    await this.good('PUT', `/v1/numbers/${this.id}/binding`, { type: 'callflow', target: flowId });
    const before = await this.newest();
    const id = await this.caller.dial(this.stage.bootstrap.line_number);
    const callId = await eventually(async () => {
      const newest = await this.newest();
      return newest !== before && newest;
    }, 'the call comes in');
    return { id, callId };
  }

  /** The nodes that the call visited, in order. */
  async path(callId: string): Promise<unknown[]> {
    return (await this.stage.timeline(callId)).filter(({ type }) => type === 'flow.node').map(({ data }) => data.node);
  }

  /** The text as the platform's voice speaks it. */
  async voice(text: string, language: FlowLanguage): Promise<Audio> {
    return readWav(`${await this.speech.synthesize(text, language)}.wav`);
  }

  /** The id of the newest call; null if there is none. */
  async newest(): Promise<string | null> {
    const { data } = await this.good('GET', '/v1/calls?limit=1');
    return (data as { call_id: string }[])[0]?.call_id ?? null;
  }
}

function definitionOf(nodes: Json): object {
  return { start: Object.keys(nodes)[0], nodes, language: 'en' };
}
