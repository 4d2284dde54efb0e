import { z } from 'zod';
import type { ProjectRow } from '../../../../core/data/rows.js';
import { HatifError } from '../../../../core/model/errors/index.js';
import type { AuditNote } from '../../../http/route.js';
import { idParam } from '../../../http/schema/schemas.js';

/** Where the routes on things of one project begin. */
export const PROJECT = '/v1/admin/projects/:project_id';

const project_id = idParam('PROJECT_NOT_FOUND');
export const projectParams = z.strictObject({ project_id });

/** The parameters of a thing of a project. */
export function paramsOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ project_id, ...shape });
}

/** Finds projects for administrators, whose routes name one. */
export class FindProject {
  constructor(private readonly projects: { get(id: string): Promise<ProjectRow | null> }) {}

  /** @throws HatifError PROJECT_NOT_FOUND */
  async get(id: string): Promise<ProjectRow> {
    const row = await this.projects.get(id);
    if (!row) throw new HatifError('PROJECT_NOT_FOUND', { project_id: id });
    return row;
  }
}

/** For the audit log: the project whose thing an administrator reads or changes. */
export function noteOn(
  { id, organization_id }: Pick<ProjectRow, 'id' | 'organization_id'>,
  details: Readonly<Record<string, unknown>> = {},
): AuditNote {
  return { projectId: id, organizationId: organization_id, details };
}
