import type { WidgetChanges, Widgets } from '../../data/repositories/accounts/widgets.js';
import type { AgentRow, Destination, QueueRow, WidgetRow, WidgetTheme } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { generateWidgetKey } from '../../model/access/widget-key.js';
import { HOME_COUNTRY, isCallingCode } from '../../model/number/country.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { checkedOrigins } from '../access/allowed-origins.js';

/** The settings of a widget that its owner chooses. */
export interface WidgetSettings {
  readonly name: string;
  /** Web origins, also as `https://*.example.com`. An empty list allows only the platform's own pages. */
  readonly allowed_origins: readonly string[];
  /** Calling codes of the countries whose numbers it calls: `+966`. */
  readonly countries: readonly string[];
  /** Callbacks and codes in an hour; null: the operator's default. */
  readonly calls_per_hour: number | null;
  readonly destination: Destination | null;
  readonly language: 'ar' | 'en';
  readonly otp: boolean;
  readonly captcha: boolean;
  /** Whether visitors may call from the browser, if the destination is a queue or an agent. */
  readonly browser_calls: boolean;
  /** Whether visitors may write. */
  readonly chat: boolean;
  readonly theme: WidgetTheme;
}

export const DEFAULT_THEME: WidgetTheme = { accent: null, scheme: 'auto', position: 'end' };

export interface WidgetOwner {
  readonly projectId: string;
  readonly organizationId: string;
  /** Whether the simulator plays its callbacks. */
  readonly sandbox: boolean;
}

/** The widgets that a key sees: a sandbox key sees only sandbox widgets. */
export type WidgetScope = Pick<WidgetOwner, 'projectId'> & { readonly sandboxOnly: boolean };

export interface WidgetServiceOptions {
  readonly widgets: Widgets;
  readonly agents: { findByExtension(projectId: string, agent: string): Promise<AgentRow | null> };
  readonly queues: {
    get(projectId: string, id: string): Promise<QueueRow | null>;
    findByName(projectId: string, name: string): Promise<QueueRow | null>;
  };
  readonly clock: Clock;
}

const MAX_COUNTRIES = 50;
export const MAX_CALLS_PER_HOUR = 100_000;
/** A widget calls Saudi numbers, as often as the operator allows by default. */
export const DEFAULT_REACH = { countries: [HOME_COUNTRY], calls_per_hour: null } as const;

const PHRASES = {
  countries: {
    en: `must be 1 to ${MAX_COUNTRIES} countries`,
    ar: arabic`يجب أن تكون دولة واحدة على الأقل و${MAX_COUNTRIES} على الأكثر`,
  },
  country: {
    en: 'must be the calling code of a country, such as +966',
    ar: 'يجب أن يكون رمز الاتصال لدولة، مثل `+966`',
  },
  calls: {
    en: `must be a number from 1 to ${MAX_CALLS_PER_HOUR}`,
    ar: arabic`يجب أن يكون عددًا من 1 إلى ${MAX_CALLS_PER_HOUR}`,
  },
  name: { en: 'must be 1 to 100 characters', ar: 'يجب أن يتكوّن من 1 إلى 100 حرف' },
  agent: { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' },
  queue: { en: 'is not a queue of this project', ar: 'ليس قائمة انتظار في هذا المشروع' },
};

/** Manages a project's click-to-call widgets. */
export class WidgetService {
  constructor(private readonly options: WidgetServiceOptions) {}

  /** @throws HatifError VALIDATION_ERROR */
  async create(owner: WidgetOwner, settings: WidgetSettings): Promise<WidgetRow> {
    const row: WidgetRow = {
      ...settings,
      ...(await this.#checked(owner.projectId, settings)),
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      key: generateWidgetKey(),
      sandbox: owner.sandbox,
      created_at: this.options.clock.now(),
      revoked_at: null,
    };
    await this.options.widgets.create(row);
    return row;
  }

  /** Returns the project's widgets, oldest first, including revoked ones. */
  async list({ projectId, sandboxOnly }: WidgetScope): Promise<WidgetRow[]> {
    return (await this.options.widgets.list(projectId)).filter(({ sandbox }) => sandbox || !sandboxOnly);
  }

  /** A page of {@link list}. @param after the id of the last widget of the page before */
  page({ projectId, sandboxOnly }: WidgetScope, after: string | null, limit: number): Promise<WidgetRow[]> {
    return this.options.widgets.page(projectId, sandboxOnly, after, limit);
  }

  /** @throws HatifError NOT_FOUND, also if the widget is revoked. */
  async get({ projectId, sandboxOnly }: WidgetScope, id: string): Promise<WidgetRow> {
    const row = await this.options.widgets.get(projectId, id);
    if (row && (row.sandbox || !sandboxOnly)) return row;
    throw new HatifError('NOT_FOUND', { what: { en: `the widget ${id}`, ar: arabic`أداة الاتصال ${id}` } });
  }

  /**
   * Changes a widget. Takes effect within seconds; pages that are already open keep their appearance. @throws
   * HatifError NOT_FOUND, VALIDATION_ERROR
   */
  async change(scope: WidgetScope, id: string, changes: Partial<WidgetSettings>): Promise<WidgetRow> {
    const before = await this.get(scope, id);
    const row: WidgetChanges = { ...changes, ...(await this.#checked(scope.projectId, { ...before, ...changes })) };
    await this.options.widgets.change(scope.projectId, id, row);
    return this.get(scope, id);
  }

  /**
   * Revokes a widget for good; within seconds, pages with its key can no longer request callbacks. @throws HatifError
   * NOT_FOUND
   */
  async revoke(scope: WidgetScope, id: string): Promise<WidgetRow> {
    const row = await this.get(scope, id);
    const now = this.options.clock.now();
    await this.options.widgets.revoke(scope.projectId, id, now);
    return { ...row, revoked_at: now };
  }

  async #checked(
    projectId: string,
    { name, allowed_origins: origins, countries, calls_per_hour: calls, destination }: WidgetSettings,
  ): Promise<Pick<WidgetRow, 'name' | 'allowed_origins' | 'countries' | 'destination'>> {
    const trimmed = name.trim();
    if (trimmed.length < 1 || trimmed.length > 100) throw invalidField('name', PHRASES.name);
    const allowed = checkedOrigins(origins);
    if (countries.length < 1 || countries.length > MAX_COUNTRIES) throw invalidField('countries', PHRASES.countries);
    const wrong = countries.findIndex((code) => !isCallingCode(code));
    if (wrong >= 0) throw invalidField(`countries[${wrong}]`, PHRASES.country);
    const isWhole = calls === null || (Number.isInteger(calls) && calls >= 1 && calls <= MAX_CALLS_PER_HOUR);
    if (!isWhole) throw invalidField('calls_per_hour', PHRASES.calls);
    return {
      name: trimmed,
      countries: [...new Set(countries)],
      allowed_origins: allowed,
      destination: await this.#destination(projectId, destination),
    };
  }

  /** Checks that the destination exists. A queue may be given by name; the result has its id. */
  async #destination(projectId: string, destination: Destination | null): Promise<Destination | null> {
    const { agents, queues } = this.options;
    const target = destination?.target ?? '';
    if (destination?.type === 'agent' && !(await agents.findByExtension(projectId, target))) {
      throw invalidField('destination.target', PHRASES.agent);
    }
    if (destination?.type !== 'queue') return destination;
    const queue = (await queues.get(projectId, target)) ?? (await queues.findByName(projectId, target));
    if (!queue) throw invalidField('destination.target', PHRASES.queue);
    return { type: 'queue', target: queue.id };
  }
}
