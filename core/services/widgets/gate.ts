import { LRUCache } from 'lru-cache';
import type { OrganizationRow, ProjectRow, WidgetRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { isOriginAllowed } from '../../model/access/origin.js';
import { isWidgetKey } from '../../model/access/widget-key.js';
import type { Clock } from '../../ports/clock.js';

/** A widget that was named by its key, with what it belongs to. */
export interface KnownWidget {
  readonly row: WidgetRow;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}

export interface WidgetGateOptions {
  readonly widgets: { findByKey(key: string): Promise<WidgetRow | null> };
  readonly projects: { get(id: string): Promise<ProjectRow | null> };
  readonly organizations: { get(id: string): Promise<OrganizationRow | null> };
  readonly clock: Clock;
  /** How long a widget that was found is believed; a change takes effect within it. Default 2 s. */
  readonly cacheMs?: number;
}

/** Tells which widget asks, and whether the page may use it. */
export class WidgetGate {
  readonly #known: LRUCache<string, KnownWidget>;

  constructor(private readonly options: WidgetGateOptions) {
    this.#known = new LRUCache({
      max: 10_000,
      ttl: options.cacheMs ?? 2_000,
      ttlResolution: 0,
      perf: { now: () => options.clock.monotonicMs() },
      fetchMethod: (key) => this.#load(key),
    });
  }

  /** @throws HatifError INVALID_API_KEY, REVOKED_API_KEY */
  async find(key: string): Promise<KnownWidget> {
    const known = isWidgetKey(key) ? await this.#known.fetch(key) : undefined;
    if (known === undefined) throw new HatifError('INVALID_API_KEY');
    if (known.row.revoked_at !== null) throw new HatifError('REVOKED_API_KEY');
    return known;
  }

  /**
   * Whether the page is one of the widget's. Null, what is no page, passes for none.
   * @throws HatifError WIDGET_ORIGIN_NOT_ALLOWED
   */
  assertOrigin({ row }: KnownWidget, origin: string | null): void {
    if (origin !== null && isOriginAllowed(origin, row.allowed_origins)) return;
    throw new HatifError('WIDGET_ORIGIN_NOT_ALLOWED', {
      origin: origin ?? { en: 'a page that does not name itself', ar: 'صفحة لا تعرّف بنفسها' },
    });
  }

  async #load(key: string): Promise<KnownWidget | undefined> {
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
