import { z } from 'zod';
import type { WorkRow } from '../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { KEEP_REASONS, type KeepReason } from '../../../core/model/privacy/keep-reasons.js';
import type { Report } from '../../../core/model/privacy/report.js';
import { isoTime } from '../../../core/model/time.js';
import { plainArabic } from '../../../core/model/wording/wording.js';
import type { OpenArchive } from '../../../core/services/archives/open.js';
import type { FileReply } from '../../http/reply.js';
import { queryInt } from '../../http/schema/schemas.js';

const REASONS = Object.keys(KEEP_REASONS) as [KeepReason, ...KeepReason[]];

const kept = z.strictObject({
  reason: z.enum(REASONS),
  message: z.string(),
  message_ar: z.string(),
  count: z.int(),
  until: timeOutput.nullable().describe('Until when at the latest; null: not known, or not limited'),
});

const reportObject = z.array(
  z.strictObject({
    category: z.string().describe('A table of the database, or a kind of files'),
    found: z.int(),
    exported: z.int(),
    erased: z.int(),
    anonymised: z.int().describe('Rows that stay without what identifies the person'),
    kept: z.array(kept),
  }),
);

const archiveObject = z.strictObject({
  parts: z.array(z.strictObject({ part: z.int(), bytes: z.int(), sha256: z.string() })),
  expires_at: timeOutput,
});

/** What requests that take time have in common. */
export const workFields = {
  id: idOutput,
  status: z.enum(['waiting', 'running', 'completed', 'failed']),
  report: reportObject.describe('What was found, and what happened to it; it grows while the request is running'),
  problem: z.string().nullable().describe('Why the last attempt did not succeed; it is repeated unless `failed`'),
  archive: archiveObject
    .nullable()
    .describe('The files of the archive; null before it is complete, and once it has expired'),
  kept_until: timeOutput.nullable().describe('When the last of what the law keeps is erased; null: nothing is kept'),
  created_at: timeOutput,
  finished_at: timeOutput.nullable(),
};

export function presentWork(row: WorkRow) {
  const { id, status, report, problem, kept_until, created_at, finished_at } = row;
  return {
    ...{ id, status, report: presentReport(report), problem, archive: presentArchive(row) },
    kept_until: isoTime(kept_until),
    created_at: isoTime(created_at),
    finished_at: isoTime(finished_at),
  };
}

function presentArchive({ parts, expires_at }: WorkRow): z.output<typeof archiveObject> | null {
  if (expires_at === null) return null;
  const files = parts.map(({ bytes, sha256 }, index) => ({ part: index + 1, bytes, sha256 }));
  return { parts: files, expires_at: isoTime(expires_at) };
}

function presentReport(report: Report): z.output<typeof reportObject> {
  return report.map((entry) => ({
    ...entry,
    kept: entry.kept.map(({ reason, count, until }) => {
      const { en, ar } = KEEP_REASONS[reason];
      return { reason, message: en, message_ar: plainArabic(ar), count, until };
    }),
  }));
}

export const partQuery = z.strictObject({ part: queryInt(1, 100_000).default(1).describe('File of the archive') });

const CONTENT_TYPE = 'application/gzip';
const file = z.string().meta({ format: 'binary' });
const headers = { 'Accept-Ranges': '`bytes`', ETag: 'For `If-Range`' };

/** A `.tar.gz` file, whole or in part. */
export const ARCHIVE_RESPONSES = {
  200: { schema: file, contentType: CONTENT_TYPE, description: 'The file: a `.tar.gz`', headers },
  206: { schema: file, contentType: CONTENT_TYPE, description: 'The range requested by `Range`', headers },
  416: { schema: null, description: 'The file has no such range', headers: { 'Content-Range': 'Its length' } },
} as const;

export const ARCHIVE_ERRORS = [
  'NOT_FOUND',
  'ARCHIVE_NOT_READY',
  'ARCHIVE_EXPIRED',
  'RECORDING_SERVICE_UNAVAILABLE',
] as const;

/** @param name begins the name of the file */
export function archiveReply(name: string, archive: OpenArchive): FileReply {
  return {
    status: 200,
    file: {
      bytes: archive.bytes,
      contentType: CONTENT_TYPE,
      etag: archive.sha256,
      read: (range) => archive.read(range),
    },
    headers: {
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${name}-${archive.name}"`,
    },
  };
}
