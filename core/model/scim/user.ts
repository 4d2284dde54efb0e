import { z } from 'zod';
import { readEmail } from '../accounts/email.js';
import { isName } from '../accounts/names.js';
import { badAttribute, scimFault } from './fault.js';
import { kept, USER_SHAPE, type Document } from './shape.js';
import { USER_SCHEMA } from './urns.js';

const LONGEST_NAME = 100;

const text = z.string().max(500).nullish();
/** Some directories write truth values as texts. */
const flag = z.union([
  z.boolean(),
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false']))
    .transform((word) => word === 'true'),
]);

const input = z.object({
  userName: z.string().trim().min(1).max(254),
  externalId: z.string().min(1).max(255).nullish(),
  displayName: text,
  name: z.object({ formatted: text, givenName: text, familyName: text }).nullish(),
  emails: z
    .array(z.object({ value: text, type: text, primary: flag.nullish() }))
    .max(20)
    .nullish(),
  active: flag.nullish(),
  locale: text,
  preferredLanguage: text,
});
type Input = z.output<typeof input>;

/** What a directory says of a user beside what Hatif has columns for, so that it reads again what it wrote. */
export type UserDocument = Pick<Input, 'displayName' | 'name' | 'emails' | 'locale' | 'preferredLanguage'>;

/** A user as a directory wants it. */
export interface WantedUser {
  readonly userName: string;
  readonly externalId: string | null;
  /** The address as people are found by. */
  readonly email: string;
  readonly name: string;
  /** Null: the directory does not say. */
  readonly locale: 'ar' | 'en' | null;
  readonly active: boolean;
  readonly document: UserDocument;
}

/**
 * Reads a user as a directory sends it, with attributes in any case, and others that are not kept.
 * @throws HatifError SCIM_REQUEST_INVALID
 */
export function readUser(sent: Document): WantedUser {
  const parsed = input.safeParse(kept(sent, USER_SHAPE));
  if (!parsed.success) throw badAttribute(parsed.error.issues[0]?.path.join('.') ?? 'userName');
  const { userName, externalId = null, active, ...document } = parsed.data;
  const email = addressOf(userName, document.emails ?? []);
  if (email === null) {
    throw scimFault('invalidValue', {
      en: 'neither userName nor emails has an e-mail address',
      ar: 'لا يوجد عنوان بريد إلكتروني في `userName` ولا في `emails`',
    });
  }
  const name = nameOf(document, email);
  if (!isName(name)) throw badAttribute('displayName');
  return { userName, externalId, email, name, locale: localeOf(document), active: active ?? true, document };
}

/** The name of the user if it is an address, otherwise the primary address, otherwise the first. */
function addressOf(userName: string, emails: NonNullable<UserDocument['emails']>): string | null {
  const primary = emails.find((each) => each.primary === true) ?? emails[0];
  return readEmail(userName) ?? readEmail(primary?.value ?? '');
}

function nameOf({ displayName, name }: UserDocument, email: string): string {
  const whole = [name?.givenName, name?.familyName].filter((part) => part != null && part !== '').join(' ');
  const candidates = [displayName, name?.formatted, whole, email.slice(0, email.lastIndexOf('@'))];
  const chosen = candidates.map((each) => each?.trim() ?? '').find((each) => each !== '') ?? email;
  return Array.from(chosen).slice(0, LONGEST_NAME).join('');
}

function localeOf({ preferredLanguage, locale }: UserDocument): WantedUser['locale'] {
  const language = preferredLanguage ?? locale ?? null;
  if (language === null || language === '') return null;
  return /^ar(?:[-_]|$)/i.test(language) ? 'ar' : 'en';
}

/** A user as it is kept. */
export interface KeptUser {
  readonly id: string;
  readonly userName: string;
  readonly externalId: string | null;
  readonly email: string;
  readonly name: string;
  readonly locale: 'ar' | 'en';
  readonly active: boolean;
  readonly document: UserDocument;
  readonly groups: readonly { readonly id: string; readonly display_name: string }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The user as the directory reads it (RFC 7643 §4.1). @param base address of the service, without a trailing slash */
export function userResource(user: KeptUser, base: string): Document {
  const { document } = user;
  const emails = document.emails ?? [];
  const isListed = emails.some(({ value }) => readEmail(value ?? '') === user.email);
  return {
    schemas: [USER_SCHEMA],
    id: user.id,
    ...(user.externalId !== null && { externalId: user.externalId }),
    userName: user.userName,
    name: { ...present(document.name ?? {}), formatted: user.name },
    displayName: user.name,
    emails: isListed ? emails.map(present) : [{ value: user.email, type: 'work', primary: true }],
    ...(document.locale != null && { locale: document.locale }),
    preferredLanguage: document.preferredLanguage ?? user.locale,
    active: user.active,
    groups: user.groups.map((group) => ({
      value: group.id,
      display: group.display_name,
    })),
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${base}/Users/${user.id}`,
    },
  };
}

/** What a PATCH changes. */
export function userDocument({ userName, externalId, active, document }: KeptUser): Document {
  return { ...present(document), userName, ...(externalId !== null && { externalId }), active };
}

function present(document: object): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null && value !== undefined));
}
