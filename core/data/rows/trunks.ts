import type { MicroSar } from '../../model/money.js';
import type { TrunkHours } from '../../model/trunks/hours.js';
import type { AssertedIdentity, CallerIdRule, DtmfMode, TrunkTransport } from '../../model/trunks/rules.js';

/** A carrier or PBX of the operator. */
export interface TrunkRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly transport: TrunkTransport;
  readonly username: string | null;
  /** Sealed. */
  readonly password: string | null;
  readonly inbound_addresses: readonly string[];
  /** Whether the trunk carries numbers outside the home country. */
  readonly foreign_numbers: boolean;
  /** Whether it carries the calls that no route takes. */
  readonly is_default: boolean;
  /** Whether engines probe it with OPTIONS. */
  readonly probed: boolean;
  /** Whether engines know it at all. */
  readonly enabled: boolean;
  /** Whether engines register at it, with its credentials. */
  readonly registers: boolean;
  /** How many calls it carries at once, in both directions; null: any number. */
  readonly capacity: number | null;
  /** By Hatif's names, in order of preference; null: those of the settings. */
  readonly codecs: readonly string[] | null;
  readonly dtmf_mode: DtmfMode;
  /** Which number callers show. */
  readonly caller_id: CallerIdRule;
  /** The number of the rule `fixed`. */
  readonly caller_id_number: string | null;
  /** Which number P-Asserted-Identity names (RFC 3325). */
  readonly asserted_identity: AssertedIdentity;
  /** Whether a caller who shows no number is marked with `Privacy: id` (RFC 3323). */
  readonly privacy: boolean;
  /** Whether Diversion names the number that forwards a call (RFC 5806). */
  readonly diversion: boolean;
  readonly created_at: Date;
}

/** Which trunk may carry calls to which numbers. */
export interface TrunkRouteRow {
  readonly id: string;
  /** Null: calls of every organization. */
  readonly organization_id: string | null;
  readonly trunk_id: string;
  /** Start of the number in E.164, without its plus; empty: every number. */
  readonly prefix: string;
  /** Null: always. */
  readonly hours: TrunkHours | null;
  /** Among routes with prefixes of the same length, the lowest comes first. */
  readonly priority: number;
  /** The share of calls among routes that are otherwise equal. */
  readonly weight: number;
  /** For a minute; null: that of the trunk's rates. */
  readonly cost: MicroSar | null;
  readonly created_at: Date;
}

/** What the operator pays a trunk's carrier for a minute. */
export interface TrunkRateRow {
  readonly trunk_id: string;
  /** As in {@link TrunkRouteRow}. */
  readonly prefix: string;
  readonly per_minute: MicroSar;
}
