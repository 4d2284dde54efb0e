import ipaddr from 'ipaddr.js';
import type { WidgetRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import { isOfCountry } from '../../model/number/country.js';
import type { Logger } from '../../ports/logger.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';
import { blockOf, isBlocked, type Recipient, type SendLimits } from '../verify/limits.js';
import { unavailable } from './visitor.js';

export interface WidgetLimits {
  /** Maximum callbacks, and codes, that one visitor's address can request in ten minutes. */
  readonly perAddress: number;
  /** Maximum per telephone number in ten minutes, across all widgets. */
  readonly perNumber: number;
  /** Maximum callbacks and codes in an hour: of a widget that sets no number itself, and of a project's widgets. */
  readonly perWidget: number;
  readonly perProject: number;
  /** Number prefixes (E.164) that are never called, because their owners earn on incoming calls. */
  readonly blockedPrefixes: readonly string[];
}

export interface WidgetAllowanceOptions {
  readonly limiter: RateLimiter;
  readonly limits: WidgetLimits;
  /** The limits of verification, counted for widgets. */
  readonly sending: Pick<SendLimits, 'isClosed' | 'count'>;
  readonly cipher: Cipher;
  readonly log: Logger;
}

type Widget = Pick<WidgetRow, 'id' | 'organization_id' | 'project_id' | 'sandbox' | 'countries' | 'calls_per_hour'>;

const WINDOW_SECONDS = 600;
const BUDGET_SECONDS = 3_600;

/**
 * Limits how often visitors can make the platform call telephones. Those limits that a visitor cannot know are refused
 * as if no calls were possible. The simulator rings nobody: in the sandbox only the visitor's own limits apply, counted
 * separately.
 */
export class WidgetAllowance {
  constructor(private readonly options: WidgetAllowanceOptions) {}

  /**
   * Counts a visitor's request for a callback or a code. The narrowest limit comes first, so that requests that it
   * refuses use up none of the wider ones.
   * @throws HatifError INVALID_PHONE_NUMBER, RATE_LIMIT_EXCEEDED, CALL_FAILED
   */
  async take(action: 'callback' | 'code', widget: Widget, ip: string, e164: string): Promise<void> {
    const { limiter, limits, cipher } = this.options;
    this.#assertCallable(widget, e164);
    const visitor = subscriber(ip);
    const subject = `widget:${widget.sandbox ? 'sandbox:' : ''}${action}`;
    await takeOrRefuse(limiter, `${subject}:address:${visitor}`, limits.perAddress, WINDOW_SECONDS);
    await takeOrRefuse(
      limiter,
      `${subject}:number:${cipher.mac('widget', `number/${e164}`)}`,
      limits.perNumber,
      WINDOW_SECONDS,
    );
    if (!widget.sandbox) await this.#takeHidden(widget, e164, { recipient: e164, endUserIp: visitor });
  }

  /** Counts a visitor's call from the browser. @throws HatifError RATE_LIMIT_EXCEEDED, CALL_FAILED */
  async takeBrowser(widget: Widget, ip: string): Promise<void> {
    const { limiter, limits } = this.options;
    await takeOrRefuse(limiter, `widget:browser:address:${subscriber(ip)}`, limits.perAddress, WINDOW_SECONDS);
    await this.#takeBudgets(widget);
  }

  /**
   * Counts a callback to a number that was just proven by a code: the visitor's own limits were counted with the code.
   * @throws HatifError INVALID_PHONE_NUMBER, CALL_FAILED
   */
  async takeProven(widget: Widget, e164: string): Promise<void> {
    this.#assertCallable(widget, e164);
    if (!widget.sandbox) await this.#takeHidden(widget, e164, { recipient: null, endUserIp: null });
  }

  #assertCallable({ sandbox, countries }: Widget, e164: string): void {
    // The sandbox has numbers of its own.
    const isReached = sandbox || isOfCountry(e164, countries);
    if (isReached && !isBlocked(e164, this.options.limits.blockedPrefixes)) return;
    throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
  }

  async #takeHidden(
    widget: Widget,
    e164: string,
    visitor: Pick<Recipient, 'endUserIp'> & { readonly recipient: string | null },
  ): Promise<void> {
    const { sending } = this.options;
    const target = { organizationId: widget.organization_id, block: blockOf(e164), endUserIp: visitor.endUserIp };
    if (await sending.isClosed({ ...target, recipient: e164 })) throw this.#refusal(widget, 'closed block of numbers');
    await sending.count({ ...target, recipient: visitor.recipient }).catch((error: unknown) => {
      if (!(error instanceof HatifError) || error.code !== 'VERIFY_RATE_LIMITED') throw error;
      throw this.#refusal(widget, 'limits of sending');
    });
    await this.#takeBudgets(widget);
  }

  async #takeBudgets(widget: Widget): Promise<void> {
    const { limits } = this.options;
    await this.#takeBudget(widget, `widget:${widget.id}`, widget.calls_per_hour ?? limits.perWidget);
    await this.#takeBudget(widget, `project:${widget.project_id}`, limits.perProject);
  }

  async #takeBudget(widget: Widget, whose: string, limit: number): Promise<void> {
    const { allowed } = await this.options.limiter.take(`widget:budget:${whose}`, limit, BUDGET_SECONDS);
    if (!allowed) throw this.#refusal(widget, `budget of the ${whose.startsWith('project') ? 'project' : 'widget'}`);
  }

  #refusal({ id, project_id }: Widget, limit: string): HatifError {
    this.options.log.warn({ widgetId: id, projectId: project_id, limit }, 'a limit stopped the calls of a widget');
    return unavailable();
  }
}

/** The IPv4 address, or the /64 network of an IPv6 address, which is what a provider assigns to one customer. */
export function subscriber(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
