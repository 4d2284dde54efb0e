import type { PlacedEffect } from '../../data/call-writer.js';
import { FencedError } from '../../data/errors.js';
import type { CallRow, NumberRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import type { Credit } from '../billing/credit.js';
import { CallState } from '../call-state/call-state.js';
import { presentChanges } from '../call-state/presenting/events.js';
import { newCallRow } from '../call-state/new-call-row.js';
import type { ProgramSpec } from '../call-state/program.js';
import { checkOwned } from '../dialling/caller-id-stage.js';
import { checkNumber, type ForeignNumbers } from '../dialling/destination-stage.js';
import type { DialledLeg } from '../dialling/dialled-leg.js';
import type { LegGate } from '../dialling/leg-gate.js';
import type { DialRoute } from '../routing/destinations.js';

/** The project, key and request that place a call. */
export interface Placer {
  readonly projectId: string;
  readonly organizationId: string;
  readonly mainNumber: string | null;
  readonly keyId: string;
  readonly requestId: string;
}

/** A checked call, ready to be stored; numbers are in E.164. */
export interface NewCall {
  readonly kind: 'outbound' | 'callback';
  /** For a callback: the queue whose agents call. */
  readonly queueId?: string | null;
  readonly sandbox: boolean;
  /** Whether the platform makes the call for itself. */
  readonly system?: boolean;
  readonly engineId: string;
  readonly to: string;
  readonly callerIdNumber: string | null;
  readonly callerIdName: string | null;
  readonly program: ProgramSpec;
  readonly ringTimeoutSeconds: number;
  readonly maxDurationSeconds: number;
  /** Record from the answer on. */
  readonly record: boolean;
  /** Transcribe that recording. */
  readonly transcribe?: boolean;
  readonly sendDigits: string | null;
  readonly webhookUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A leg of a call that is about to be placed. */
export type PlacedLeg = Pick<DialledLeg, 'kind' | 'to' | 'route' | 'callerIdNumber'> &
  Partial<Pick<DialledLeg, 'field' | 'isCounted' | 'agent'>>;

export interface PlacementOptions {
  readonly directory: ForeignNumbers & { numberByE164(e164: string): Promise<NumberRow | null> };
  readonly writer: { insertPlaced(effect: PlacedEffect): Promise<void> };
  readonly bus: CommandBus;
  /** Admits every leg that is dialled. */
  readonly gate: Pick<LegGate, 'admit'>;
  /** Pays for calls; absent if calls are not charged. */
  readonly credit?: Pick<Credit, 'hold'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The part common to all ways of placing a call: choosing the caller id, checking the destination and credit, and
 * handing the call to its engine's owner.
 */
export class Placement {
  constructor(private readonly options: PlacementOptions) {}

  /**
   * Returns the caller id: the given number, or the project's main number. @throws HatifError VALIDATION_ERROR,
   * CLI_NOT_OWNED
   */
  async callerId(given: string | null, placer: Placer): Promise<string> {
    const number = callerIdOf(given, placer);
    await checkOwned(this.options.directory, placer.organizationId, number);
    return number;
  }

  /** @throws HatifError INVALID_PHONE_NUMBER for a number that may not be called */
  checkDestination(to: string, field = 'to'): Promise<void> {
    return checkNumber(this.options.directory, to, field);
  }

  /**
   * Takes a leg of a call that is about to be placed through the gate.
   * @throws HatifError as {@link LegGate.admit} does
   */
  admit(leg: PlacedLeg, placer: Pick<Placer, 'organizationId' | 'projectId'>): Promise<void> {
    const { organizationId, projectId } = placer;
    const fixed = { organizationId, projectId, sandbox: false, dialler: null, callId: null, legId: null, others: null };
    return this.options.gate.admit({ field: 'to', agent: null, isCounted: true, ...fixed, ...leg });
  }

  /**
   * Stores the call and notifies the engine's owner. The phone rings after the API's response.
   * @param route of the customer's leg @throws HatifError INSUFFICIENT_CREDITS if a concurrent call used up the credit,
   * CALL_FAILED
   */
  async place(call: NewCall, placer: Placer, route: DialRoute | null = null): Promise<CallRow> {
    const { writer, clock, credit } = this.options;
    const state = new CallState(newRow(call, placer, clock.now()), []);
    const { kind, to, sandbox } = call;
    if (!sandbox && route?.billable !== false) {
      await credit?.hold(state.row.id, placer, { direction: 'outbound', kind, number: route?.number ?? to });
    }
    state.emit('call.initiated', state.row.created_at, {});
    const changes = state.takeChanges();
    if (!changes) throw new Error('a new call has changes');
    try {
      await writer.insertPlaced(presentChanges(changes));
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      throw callFailed('the voice engine was just removed', 'أُزيل محرّك الصوت للتو', error);
    }
    this.#notifyOwner(call.engineId, state.row.id);
    return state.row;
  }

  /** Not awaited: the call is stored, and its owner also polls for stored calls. */
  #notifyOwner(engineId: string, callId: string): void {
    this.options.bus.send(engineId, { type: 'place', callId }).catch((error: unknown) => {
      this.options.log.warn(
        { err: error, callId },
        'could not notify the engine owner of a call; its next sweep will find the call',
      );
    });
  }
}

/** Returns the given caller id, or the project's main number. @throws HatifError VALIDATION_ERROR if there is none */
export function callerIdOf(given: string | null, { mainNumber }: Pick<Placer, 'mainNumber'>): string {
  const number = given ?? mainNumber;
  if (number !== null) return number;
  throw invalidField('caller_id_number', {
    en: 'is required: the project has no main number',
    ar: 'مطلوب: لا يوجد رقم رئيسي للمشروع',
  });
}

/** Returns the error for a call that could not be placed. Nothing was changed. */
export function callFailed(en: string, ar: string, cause?: unknown): HatifError {
  return new HatifError('CALL_FAILED', { reason: { en, ar } }, { cause });
}

/** Returns the error for the case that no engine is up. */
export function noEngine(): HatifError {
  return callFailed('no voice engine can take a call now', 'لا يتوفر محرّك صوت لاستقبال مكالمة الآن');
}

/** Returns the error for the case that no trunk leads to the number. */
export function noTrunk(): HatifError {
  return callFailed('no trunk leads to this number', 'لا يوجد خط ربط يصل إلى هذا الرقم');
}

function newRow(call: NewCall, placer: Placer, now: Date): CallRow {
  return newCallRow({
    id: newId(),
    organization_id: placer.organizationId,
    project_id: placer.projectId,
    engine_id: call.engineId,
    sandbox: call.sandbox,
    system: call.system ?? false,
    kind: call.kind,
    queue_id: call.queueId ?? null,
    direction: 'outbound',
    customer_number: call.to,
    line_number: call.callerIdNumber,
    caller_id_number: call.callerIdNumber,
    caller_id_name: call.callerIdName,
    metadata: call.metadata,
    webhook_url: call.webhookUrl,
    program: call.program,
    options: {
      ring_timeout_seconds: call.ringTimeoutSeconds,
      max_duration_seconds: call.maxDurationSeconds,
      record: call.record,
      ...(call.transcribe === undefined ? {} : { transcribe: call.transcribe }),
      send_digits: call.sendDigits,
    },
    created_by_key: placer.keyId,
    request_id: placer.requestId,
    created_at: now,
  });
}
