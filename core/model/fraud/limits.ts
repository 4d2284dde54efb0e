import { localTime } from '../calendar/index.js';
import type { MicroSar } from '../money.js';
import type { DestinationClass } from '../number/destination-class.js';
import { riyadhDay, riyadhMidnight } from '../riyadh.js';

/** Hours in which less may be called. */
export interface NightLimits {
  /** `HH:MM`, in the time zone. */
  readonly from: string;
  /** `HH:MM`, not included; before `from`, it is that of the next day. */
  readonly to: string;
  /** IANA time zone. */
  readonly time_zone: string;
  /** What may be called at night, if it may be called at all; empty: nothing outside. */
  readonly destination_classes: readonly DestinationClass[];
  /** Instead of the limit of the day; null: that limit. */
  readonly calls_per_hour: number | null;
}

/**
 * What one agent, or a project as a whole, may dial outside before it is blocked. Null is no limit. An absent member is
 * that of the next place: the agent's, the project's, the organization's, the installation's; if all lack it, there is no
 * limit.
 */
export interface FraudLimits {
  readonly calls_per_hour?: number | null;
  /** Of answered calls, by Riyadh day. */
  readonly minutes_per_day?: number | null;
  readonly spend_per_hour?: MicroSar | null;
  /** Calls to one number that the project had not called before this hour. */
  readonly new_number_calls_per_hour?: number | null;
  readonly night?: NightLimits | null;
}

/** The limits of a project, and as defaults those of each project of an organization or of the installation. */
export interface ProjectFraudLimits {
  /** Of all its outside calls together. */
  readonly project: FraudLimits;
  /** Of each of its agents who has no limit of its own. */
  readonly agents: FraudLimits;
}

/** What an organization or the installation sets for its projects. */
export interface FraudDefaults {
  readonly limits: ProjectFraudLimits;
  /** Whether a block ends live calls; null: as the installation says, and no there. */
  readonly ends_calls: boolean | null;
}

export const NO_FRAUD_LIMITS: ProjectFraudLimits = { project: {}, agents: {} };
export const NO_FRAUD_DEFAULTS: FraudDefaults = { limits: NO_FRAUD_LIMITS, ends_calls: null };

/** The limits that block once they are exceeded, in the order in which they are checked. */
export const FRAUD_RULES = [
  'calls_per_hour',
  'night_calls_per_hour',
  'new_number_calls_per_hour',
  'minutes_per_day',
  'spend_per_hour',
] as const;
export type FraudRule = (typeof FRAUD_RULES)[number];

/** What a limit counts, and what it blocks. */
export type FraudScope = 'project' | 'agent';

/** One limit as it applies to a leg now. */
export interface FraudCheck {
  readonly scope: FraudScope;
  readonly rule: FraudRule;
  /** Calls, seconds or millionths of a riyal. */
  readonly at_most: number;
  /** What began before is not counted. */
  readonly since: Date;
}

const HOUR_MS = 3_600_000;

/** The defaults of an organization: its own, and those of the installation for the rest. */
export function fraudDefaultsOf(organization: FraudDefaults, installation: FraudDefaults): FraudDefaults {
  return {
    limits: limitsOfProject(organization.limits, installation.limits),
    ends_calls: organization.ends_calls ?? installation.ends_calls,
  };
}

/** The limits of a project: its own, and the defaults for the rest. */
export function limitsOfProject(own: ProjectFraudLimits | null, defaults: ProjectFraudLimits): ProjectFraudLimits {
  return {
    project: { ...defaults.project, ...own?.project },
    agents: { ...defaults.agents, ...own?.agents },
  };
}

/** Whether nothing is limited, so that nothing has to be counted. */
export function isUnlimited({ project, agents }: ProjectFraudLimits): boolean {
  return Object.keys(project).length === 0 && Object.keys(agents).length === 0;
}

/**
 * The limits of an agent: its own, and those of the project's agents for the rest.
 * @param project with the defaults
 */
export function limitsOfAgent(project: ProjectFraudLimits | null, own: FraudLimits | null): FraudLimits {
  return { ...project?.agents, ...own };
}

/** Whether it is night. */
export function isNight({ from, to, time_zone }: Pick<NightLimits, 'from' | 'to' | 'time_zone'>, at: Date): boolean {
  const { hour, minute } = localTime(at, time_zone);
  const now = hour * 60 + minute;
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start < end ? start <= now && now < end : start <= now || now < end;
}

/**
 * The night that refuses the leg; null if none does.
 * @param called the class of the number; null for a SIP address, which is refused if nothing may be called
 */
export function refusingNight(
  limits: readonly FraudLimits[],
  called: DestinationClass | null,
  at: Date,
): NightLimits | null {
  const refuses = ({ destination_classes: classes }: NightLimits): boolean =>
    called === null ? classes.length === 0 : !classes.includes(called);
  return (
    limits.map(({ night }) => night ?? null).find((night) => night && isNight(night, at) && refuses(night)) ?? null
  );
}

/** The limits that are counted, in the order in which they are checked. */
export function checksOf(scope: FraudScope, limits: FraudLimits, at: Date): FraudCheck[] {
  const hourAgo = new Date(at.getTime() - HOUR_MS);
  const { night } = limits;
  const nightCalls = night && isNight(night, at) ? night.calls_per_hour : null;
  const calls = nightCalls === null ? limits.calls_per_hour : null;
  const { minutes_per_day: minutes } = limits;
  const values: Readonly<Record<FraudRule, readonly [atMost: number | null | undefined, since: Date]>> = {
    calls_per_hour: [calls, hourAgo],
    night_calls_per_hour: [nightCalls, hourAgo],
    new_number_calls_per_hour: [limits.new_number_calls_per_hour, hourAgo],
    minutes_per_day: [minutes == null ? null : minutes * 60, riyadhMidnight(riyadhDay(at))],
    spend_per_hour: [limits.spend_per_hour, hourAgo],
  };
  return FRAUD_RULES.flatMap((rule) => {
    const [at_most, since] = values[rule];
    return at_most == null ? [] : { scope, rule, at_most, since };
  });
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
