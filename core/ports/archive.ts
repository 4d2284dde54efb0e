/** A file with many members, such as a `.tar.gz`, as it is written. */
export interface ArchiveFile {
  /** Adds a small member. */
  add(name: string, content: string): Promise<void>;
  /** Adds a file. @returns its size in bytes */
  addFile(name: string, path: string): Promise<number>;
  /** Completes the file. @returns its size in bytes */
  finish(): Promise<number>;
  /** Gives the file up. */
  abort(): Promise<void>;
}

/** Writes archives. */
export interface ArchiveFormat {
  /** Ends the names of the files: `.tar.gz`. */
  readonly extension: string;
  readonly contentType: string;
  /** Begins a new file. */
  create(path: string): ArchiveFile;
}
