import type { ObjectStore } from '../../ports/object-store.js';

/** A file of a storage, or of this machine. */
export type FileOfMember =
  | { readonly storage: ObjectStore['kind']; readonly key: string }
  /** The file may be gone. */
  | { readonly path: string };

/** A member of an archive: a text, or a file. */
export interface ArchiveMember {
  /** The position after it, for {@link ArchiveSource.members}. */
  readonly position: string;
  readonly name: string;
  readonly content: string | FileOfMember;
  /** What the report counts: the category, and how many rows or files. */
  readonly category: string;
  readonly count: number;
}

/** Members in a fixed order, so that an archive continues after a crash where its last finished file ended. */
export interface ArchiveSource {
  /** @param after a position; null: from the beginning */
  members(after: string | null): AsyncIterable<ArchiveMember>;
}

/** A page of rows with the key of the last one; null: nothing is left. */
export interface SourcePage {
  readonly rows: readonly object[];
  readonly after: string | null;
}

/** A source of JSON files, each with one page of rows. A page without rows makes no file. */
export function rowsSource(category: string, page: (after: string | null) => Promise<SourcePage>): ArchiveSource {
  return {
    async *members(position) {
      let { files, after } = position === null ? { files: 0, after: null } : (JSON.parse(position) as RowsPosition);
      if (position !== null && after === null) return;
      do {
        const found = await page(after);
        after = found.after;
        if (found.rows.length === 0) continue;
        files += 1;
        yield {
          position: JSON.stringify({ files, after } satisfies RowsPosition),
          name: `data/${category}/${String(files).padStart(6, '0')}.json`,
          content: `${JSON.stringify(found.rows, null, 2)}\n`,
          category,
          count: found.rows.length,
        };
      } while (after !== null);
    },
  };
}

/** How many files were made; the last key, null after the last page. */
interface RowsPosition {
  readonly files: number;
  readonly after: string | null;
}
