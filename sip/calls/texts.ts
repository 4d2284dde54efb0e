import type { SipContactRow } from '../../core/data/rows.js';
import { sipUserOf, type TextResult } from '../../core/model/messaging/softphone-text.js';
import type { SipSecurity } from '../../core/model/sip-security.js';
import type { CommandOutcome, EngineCommand } from '../../core/ports/command-bus.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import type { HeaderFields, SipTarget } from '../message/request.js';
import type { Location } from '../registrar/location.js';
import { isPrivate } from './encryption.js';
import { onePerPhone, targetOf } from './targets.js';

export interface EdgeTextsOptions {
  readonly location: Pick<Location, 'of'>;
  readonly memory: Pick<SipMemory, 'count'>;
  readonly security: Pick<SipSecurity, 'phonesNeedTls'>;
  readonly canSend: () => boolean;
  /** The host by which phones know the edge. */
  readonly host: () => string | null;
  /** @returns the status of the final response; null without one */
  readonly send: (method: string, target: SipTarget, headers: HeaderFields, body: string) => Promise<number | null>;
}

/** Longer than anybody waits for the outcome. */
const TAKEN_MS = 60_000;

/** Sends texts to phones that are registered at the edge (SIP MESSAGE, RFC 3428). */
export class EdgeTexts {
  constructor(private readonly options: EdgeTextsOptions) {}

  /** Serves a command that every process of the edge receives: the first one sends the text. */
  async command(command: EngineCommand): Promise<CommandOutcome> {
    const { memory, canSend } = this.options;
    if (command.type !== 'send_text') return { result: 'not_controllable' };
    const { attemptId, aor, from, body } = command;
    if ((await memory.count(`text:${attemptId}`, TAKEN_MS)) > 1) return { result: 'elsewhere' };
    if (!canSend()) return { result: 'not_controllable' };
    return { result: 'text', text: await this.#send(aor, from, body) };
  }

  /** One phone that takes it is enough; the others get it, too. */
  async #send(aor: string, from: string, body: string): Promise<TextResult> {
    const { location, security } = this.options;
    const all = await location.of(aor);
    const rows = onePerPhone(all).filter(({ transport }) => !security.phonesNeedTls || isPrivate(transport));
    if (rows.length === 0) return { result: 'not_registered' };
    const statuses = await Promise.all(rows.map((row) => this.#sendTo(row, from, body)));
    if (statuses.some((status) => status !== null && status < 300)) return { result: 'delivered' };
    return { result: 'refused', status: statuses.find((status) => status !== null) ?? null };
  }

  #sendTo(row: SipContactRow, from: string, body: string): Promise<number | null> {
    const host = this.options.host() ?? 'localhost';
    const headers = {
      From: `<sip:${sipUserOf(from)}@${host}>`,
      To: `<sip:${row.aor}@${host}>`,
      'Content-Type': 'text/plain;charset=UTF-8',
    };
    return this.options.send('MESSAGE', targetOf(row), headers, body);
  }
}
