import type { OrganizationRow, ProjectRow, WidgetRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { isOriginAllowed } from '../../model/access/origin.js';
import { isWidgetKey } from '../../model/access/widget-key.js';
import type { Clock } from '../../ports/clock.js';
import { invalidKey } from '../access/invalid-key.js';
import { LookupCache } from '../access/lookup-cache.js';

/** A widget with its project and organization. */
export interface WidgetContext {
  readonly row: WidgetRow;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}

export interface WidgetGateOptions {
  readonly widgets: { findByKey(key: string): Promise<WidgetRow | null> };
  readonly projects: { get(id: string): Promise<ProjectRow | null> };
  readonly organizations: { get(id: string): Promise<OrganizationRow | null> };
  readonly clock: Clock;
  /** How long a looked-up widget is cached; a change takes effect within this time. Default 2 s. */
  readonly cacheMs?: number;
}

/** Looks widgets up by key, and checks that a page may use them. */
export class WidgetGate {
  readonly #cache: LookupCache<WidgetContext>;

  constructor(private readonly options: WidgetGateOptions) {
    this.#cache = new LookupCache({
      clock: options.clock,
      max: 10_000,
      ttlMs: options.cacheMs ?? 2_000,
      load: (key) => this.#load(key),
    });
  }

  /** @throws HatifError INVALID_API_KEY, REVOKED_API_KEY */
  async find(key: string): Promise<WidgetContext> {
    if (!isWidgetKey(key)) throw invalidKey('not_widget');
    const cached = await this.#cache.get(key);
    if (cached === undefined) throw invalidKey('unknown');
    if (cached.row.revoked_at !== null) throw new HatifError('REVOKED_API_KEY');
    return cached;
  }

  /**
   * Checks that the page's origin is allowed. Null (a request without an origin) is never allowed.
   * @throws HatifError WIDGET_ORIGIN_NOT_ALLOWED
   */
  assertOrigin({ row }: WidgetContext, origin: string | null): void {
    if (origin !== null && isOriginAllowed(origin, row.allowed_origins)) return;
    throw new HatifError('WIDGET_ORIGIN_NOT_ALLOWED', {
      origin: origin ?? { en: 'a page without an origin', ar: 'صفحة لا تعرّف بنفسها' },
    });
  }

  async #load(key: string): Promise<WidgetContext | undefined> {
    const { widgets, projects, organizations } = this.options;
    const row = await widgets.findByKey(key);
    if (row === null) return undefined;
    const [project, organization] = await Promise.all([
      projects.get(row.project_id),
      organizations.get(row.organization_id),
    ]);
    return project && organization ? { row, project, organization } : undefined;
  }
}
