import type { NamedTrunkRoute, TrunkRoutes } from '../../data/repositories/engines/trunk-routes.js';
import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import type { TrunkRouteRow } from '../../data/rows.js';
import { isTimeZone } from '../../model/calendar/index.js';
import { WEEKDAYS } from '../../model/calendar/opening-hours.js';
import { invalidField } from '../../model/errors/index.js';
import { isId, newId } from '../../model/ids.js';
import type { MicroSar } from '../../model/money.js';
import type { TrunkHours } from '../../model/trunks/hours.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { auditOf, type ChangedBy } from './change-audit.js';

export interface TrunkRouteServiceOptions {
  readonly routes: TrunkRoutes;
  readonly trunks: Pick<Trunks, 'list'>;
  readonly organizations: Pick<Organizations, 'get'>;
  readonly clock: Clock;
  /** Makes every process read the routes again. */
  readonly announce: () => Promise<void>;
}

export interface NewTrunkRoute {
  /** The name of the trunk. */
  readonly trunk: string;
  /** Null: calls of every organization. */
  readonly organizationId: string | null;
  /** Start of the number in E.164, with or without its plus; empty: every number. */
  readonly prefix: string;
  /** Null: always. */
  readonly hours: TrunkHours | null;
  readonly priority: number;
  readonly weight: number;
  /** Null: that of the trunk's rates. */
  readonly cost: MicroSar | null;
}

const PATH = '/trunk-routes';
const MAX_PRIORITY = 1_000;
const MAX_WEIGHT = 1_000;
const CLOCK_TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Manages which trunks carry which calls. */
export class TrunkRouteService {
  constructor(private readonly options: TrunkRouteServiceOptions) {}

  /** In the order of the choice. */
  list(): Promise<readonly NamedTrunkRoute[]> {
    return this.options.routes.list();
  }

  /** @throws HatifError VALIDATION_ERROR, also for an unknown trunk or organization */
  async add(
    { trunk: name, organizationId, prefix, hours, priority, weight, cost }: NewTrunkRoute,
    by: ChangedBy = 'command',
  ): Promise<NamedTrunkRoute> {
    const { routes, trunks, organizations, clock, announce } = this.options;
    const trunk = (await trunks.list()).find((other) => other.name === name);
    if (!trunk) {
      throw invalidField('trunk', { en: `there is no trunk ${name}`, ar: arabic`لا يوجد خط ربط باسم ${name}` });
    }
    const known = organizationId === null || !isId(organizationId) ? null : await organizations.get(organizationId);
    if (organizationId !== null && !known) {
      throw invalidField('organization_id', {
        en: `there is no organization ${organizationId}`,
        ar: arabic`لا توجد مؤسسة بالمعرّف ${organizationId}`,
      });
    }
    const row: TrunkRouteRow = {
      id: newId(),
      organization_id: organizationId,
      trunk_id: trunk.id,
      prefix: checkPrefix('prefix', prefix),
      hours: hours && checkHours(hours),
      priority: checkCount('priority', priority, 0, MAX_PRIORITY),
      weight: checkCount('weight', weight, 1, MAX_WEIGHT),
      cost,
      created_at: clock.now(),
    };
    const { id, trunk_id: _, created_at: at, ...route } = row;
    const details = { id, trunk: name, ...route };
    await routes.add(row, auditOf(by, { command: 'routes add', path: PATH, details }, at));
    await announce();
    return { ...row, trunk: trunk.name, organization: known?.name ?? null };
  }

  /** Calls in progress continue. @returns false if there is no such route */
  async remove(id: string, by: ChangedBy = 'command'): Promise<boolean> {
    const { routes, clock, announce } = this.options;
    const audit = auditOf(by, { command: 'routes remove', path: `${PATH}/${id}`, details: {} }, clock.now());
    if (!isId(id) || !(await routes.remove(id, audit))) return false;
    await announce();
    return true;
  }
}

/** The start of a number without its plus. @throws HatifError VALIDATION_ERROR */
export function checkPrefix(field: string, text: string): string {
  const digits = text.replace(/^\+/, '');
  if (/^\d{0,15}$/.test(digits)) return digits;
  throw invalidField(field, {
    en: 'must be the start of an E.164 number',
    ar: 'يجب أن يكون بداية رقم E.164',
  });
}

function checkHours({ time_zone, weekdays, from, to }: TrunkHours): TrunkHours {
  if (!isTimeZone(time_zone)) {
    throw invalidField('hours.time_zone', {
      en: 'must be an IANA time zone such as Asia/Riyadh',
      ar: 'يجب أن يكون منطقة زمنية من IANA مثل `Asia/Riyadh`',
    });
  }
  const days = WEEKDAYS.filter((day) => weekdays.includes(day));
  if (days.length === 0 || days.length !== weekdays.length) {
    throw invalidField('hours.weekdays', {
      en: `must be some of ${WEEKDAYS.join(', ')}, each once`,
      ar: arabic`يجب أن يكون بعضًا مما يلي دون تكرار: ${WEEKDAYS.join('، ')}`,
    });
  }
  const wrong = [from, to].find((time) => !CLOCK_TIME.test(time));
  if (wrong === undefined && from !== '24:00') return { time_zone, weekdays: days, from, to };
  throw invalidField('hours', {
    en: 'must have times such as 08:00 and 17:30',
    ar: 'يجب أن تكون الأوقات بصيغة مثل `08:00` و`17:30`',
  });
}

function checkCount(field: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidField(field, { en: `must be ${min} to ${max}`, ar: arabic`يجب أن يكون من ${min} إلى ${max}` });
}
