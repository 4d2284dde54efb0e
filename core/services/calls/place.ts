import type { PlacedEffect } from '../../data/call-writer.js';
import { FencedError } from '../../data/errors.js';
import type { AgentRow, CallRow, EngineRow, LegRow, NumberRow, TrunkRow } from '../../data/rows.js';
import type { Destination } from '../../model/destinations.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { MediaError, type MediaStore } from '../../ports/media-store.js';
import { SpeechError, type Speech, type SpeechLanguage } from '../../ports/speech.js';
import type { Routing } from '../routing/destinations.js';
import { CallRecord } from './call-record.js';
import type { ProgramSpec, SavedProgram } from './program.js';

export type PlaySource =
  | { readonly url: string }
  | { readonly audioId: string }
  | { readonly text: string; readonly language: SpeechLanguage };

/** A call to be placed; numbers are E.164 already. */
export interface PlaceRequest {
  readonly to: string;
  readonly callerIdNumber: string | null;
  readonly callerIdName: string | null;
  /** What happens after the answer; null waits for control by the API. */
  readonly then: { readonly connect: Destination } | { readonly play: PlaySource } | null;
  readonly ringTimeoutSeconds: number;
  readonly maxDurationSeconds: number;
  readonly sendDigits: string | null;
  readonly webhookUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** On whose behalf. */
export interface Placer {
  readonly projectId: string;
  readonly organizationId: string;
  readonly mainNumber: string | null;
  readonly keyId: string;
  readonly requestId: string;
}

export interface PlacementDirectory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  defaultTrunk(): Promise<TrunkRow | null>;
  /** An engine that is up and has an owner, or null. */
  pickEngine(): Promise<EngineRow | null>;
  /** Whether the project has this uploaded audio. */
  hasAudio(projectId: string, audioId: string): Promise<boolean>;
}

export interface PlaceCallOptions {
  readonly directory: PlacementDirectory;
  readonly routing: Routing;
  readonly media: MediaStore;
  readonly speech: Speech;
  readonly writer: { insertPlaced(effect: PlacedEffect): Promise<void> };
  readonly bus: CommandBus;
  readonly clock: Clock;
  readonly log: Logger;
  /** @throws HatifError when the address may not be called back (contract: the same guard as any webhook). */
  readonly checkWebhookUrl: (url: string) => void;
}

/** Places outbound calls: checks, writes the call down, tells the engine's owner. The phone rings after the answer. */
export class PlaceCall {
  constructor(private readonly options: PlaceCallOptions) {}

  /**
   * @throws HatifError CLI_NOT_OWNED, INVALID_PHONE_NUMBER, VALIDATION_ERROR, INVALID_PLAY_URL, WEBHOOK_URL_INVALID, CALL_FAILED,
   *   in this order; nothing was changed then.
   */
  async place(request: PlaceRequest, placer: Placer): Promise<{ call: CallRow; legs: readonly LegRow[] }> {
    const callerId = await this.#callerId(request, placer);
    await this.#checkDestination(request.to);
    if (request.webhookUrl !== null) this.options.checkWebhookUrl(request.webhookUrl);
    const spec = await this.#program(request, placer);
    const engine = await this.options.directory.pickEngine();
    if (!engine) throw failed('no voice engine can take a call now', 'لا يوجد محرّك صوت يستطيع استقبال مكالمة الآن');
    const route = await this.options.routing.routeTo(placer.projectId, { type: 'number', target: request.to });
    if (!route) throw failed('no trunk leads to this number', 'لا يوجد خط ربط يصل إلى هذا الرقم');
    const record = this.#record(request, placer, callerId, spec, engine.id);
    const effect = record.takeChanges();
    if (!effect) throw new Error('a new call has changes');
    try {
      await this.options.writer.insertPlaced(effect);
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      throw failed('the voice engine was just removed', 'أُزيل محرّك الصوت للتو', error);
    }
    this.#tellOwner(engine.id, record.row.id);
    return { call: record.row, legs: [] };
  }

  /** Not waited for: the call is written down, and its owner also looks for calls that nobody told it of. */
  #tellOwner(engineId: string, callId: string): void {
    this.options.bus.send(engineId, { type: 'place', callId }).catch((error: unknown) => {
      this.options.log.warn({ err: error, callId }, 'the owner of the engine was not told of a call; it will find it');
    });
  }

  async #callerId(request: PlaceRequest, placer: Placer): Promise<string> {
    const number = request.callerIdNumber ?? placer.mainNumber;
    if (number === null) {
      throw invalidField('caller_id_number', {
        en: 'is required: the project has no main number',
        ar: 'مطلوب: لا يوجد رقم رئيسي للمشروع',
      });
    }
    const owned = await this.options.directory.numberByE164(number);
    if (owned?.organization_id !== placer.organizationId || owned.state !== 'assigned') {
      throw new HatifError('CLI_NOT_OWNED', { number });
    }
    return number;
  }

  async #checkDestination(to: string): Promise<void> {
    const parsed = parseNumber(to, { allowForeign: true });
    const trunk = parsed?.kind === 'foreign' ? await this.options.directory.defaultTrunk() : null;
    const refused = parsed === null || parsed.kind === 'emergency' || trunk?.foreign_numbers === false;
    if (refused) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
  }

  async #program(request: PlaceRequest, placer: Placer): Promise<ProgramSpec> {
    if (request.then === null) return { type: 'idle' };
    if ('play' in request.then) return { type: 'play', paths: [await this.#audio(request.then.play, placer)] };
    const { connect } = request.then;
    if (connect.type === 'agent') {
      const agent = await this.options.directory.agentByExtension(placer.projectId, connect.target);
      if (!agent) {
        throw invalidField('connect.target', {
          en: 'is not an agent of this project',
          ar: 'ليس وكيلًا في هذا المشروع',
        });
      }
    }
    return { type: 'connect', to: connect };
  }

  /** The audio is made ready before anyone is rung: a customer who answers must not hear silence. */
  async #audio(source: PlaySource, placer: Placer): Promise<string> {
    if ('url' in source) {
      try {
        return (await this.options.media.fetch(source.url)).path;
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        throw new HatifError('INVALID_PLAY_URL', { reason: error.message }, { cause: error });
      }
    }
    if ('audioId' in source) {
      if (!(await this.options.directory.hasAudio(placer.projectId, source.audioId))) {
        throw invalidField('play.audio_id', {
          en: 'is not an audio file of this project',
          ar: 'ليس ملفًا صوتيًا في هذا المشروع',
        });
      }
      return this.options.media.pathOf(source.audioId);
    }
    try {
      return await this.options.speech.synthesize(source.text, source.language);
    } catch (error) {
      if (!(error instanceof SpeechError)) throw error;
      throw failed('no voice can speak the text now', 'لا يوجد صوت يستطيع نطق النص الآن', error);
    }
  }

  #record(request: PlaceRequest, placer: Placer, callerId: string, spec: ProgramSpec, engineId: string): CallRecord {
    const now = this.options.clock.now();
    const program: SavedProgram = { spec, state: null };
    const record = new CallRecord(
      {
        id: newId(),
        organization_id: placer.organizationId,
        project_id: placer.projectId,
        engine_id: engineId,
        epoch: 0,
        sandbox: false,
        kind: 'outbound',
        direction: 'outbound',
        status: 'initiated',
        customer_number: request.to,
        line_number: callerId,
        caller_id_number: callerId,
        caller_id_name: request.callerIdName,
        queue_id: null,
        served_queue_id: null,
        agent: null,
        callflow_id: null,
        conference_id: null,
        on_hold: false,
        muted: false,
        recording: false,
        recording_available: false,
        disposition: null,
        hangup_q850: null,
        hangup_sip_code: null,
        hangup_text: null,
        queued_seconds: null,
        metadata: request.metadata,
        webhook_url: request.webhookUrl,
        program,
        options: {
          ring_timeout_seconds: request.ringTimeoutSeconds,
          max_duration_seconds: request.maxDurationSeconds,
          record: false,
          send_digits: request.sendDigits,
        },
        last_sequence: 0,
        created_by_key: placer.keyId,
        request_id: placer.requestId,
        created_at: now,
        originating_at: null,
        ringing_at: null,
        answered_at: null,
        ended_at: null,
      },
      [],
    );
    record.emit('call.initiated', now);
    return record;
  }
}

function failed(en: string, ar: string, cause?: unknown): HatifError {
  return new HatifError('CALL_FAILED', { reason: { en, ar } }, { cause });
}
