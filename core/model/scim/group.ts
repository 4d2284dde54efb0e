import { z } from 'zod';
import { isId } from '../ids.js';
import { badAttribute } from './fault.js';
import { GROUP_SHAPE, kept, type Document } from './shape.js';
import { GROUP_SCHEMA } from './urns.js';

const MOST_MEMBERS = 10_000;

const input = z.object({
  displayName: z.string().trim().min(1).max(256),
  externalId: z.string().min(1).max(255).nullish(),
  members: z
    .array(z.object({ value: z.string().refine(isId).toLowerCase() }))
    .max(MOST_MEMBERS)
    .nullish(),
});

/** A group as a directory wants it. */
export interface WantedGroup {
  readonly displayName: string;
  readonly externalId: string | null;
  /** IDs of users, each once. */
  readonly members: readonly string[];
}

/** Reads a group as a directory sends it. @throws HatifError SCIM_REQUEST_INVALID */
export function readGroup(sent: Document): WantedGroup {
  const parsed = input.safeParse(kept(sent, GROUP_SHAPE));
  if (!parsed.success) throw badAttribute(parsed.error.issues[0]?.path.join('.') ?? 'displayName');
  const { displayName, externalId = null, members } = parsed.data;
  return { displayName, externalId, members: [...new Set((members ?? []).map(({ value }) => value))] };
}

/** A group as it is kept. */
export interface KeptGroup {
  readonly id: string;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly members: readonly { readonly id: string; readonly name: string }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The group as the directory reads it (RFC 7643 §4.2). @param base address of the service, without a trailing slash */
export function groupResource(group: KeptGroup, base: string): Document {
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(group.externalId !== null && { externalId: group.externalId }),
    displayName: group.displayName,
    members: group.members.map(({ id, name }) => ({
      value: id,
      display: name,
      type: 'User',
    })),
    meta: {
      resourceType: 'Group',
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      location: `${base}/Groups/${group.id}`,
    },
  };
}

/** What a PATCH changes. */
export function groupDocument({ displayName, externalId, members }: KeptGroup): Document {
  return {
    displayName,
    ...(externalId !== null && { externalId }),
    members: members.map(({ id }) => ({ value: id })),
  };
}
