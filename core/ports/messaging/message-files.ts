/** A file of a message, whole. */
export interface MessageFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly name: string;
}

/** The files that projects have uploaded for their messages. */
export interface MessageFiles {
  /** Null if the project does not have it any more. @throws StorageError, DatabaseUnavailable */
  read(of: { readonly projectId: string; readonly sandbox: boolean }, id: string): Promise<MessageFile | null>;
}

/** A provider that keeps the files of messages for some time. */
export interface IncomingFiles {
  /**
   * @param number of the project, over which the message came
   * @param id the provider's
   * @returns null if the provider does not have it any more
   * @throws ProviderUnavailable, DatabaseUnavailable
   */
  fetchFile(projectId: string, number: string, id: string): Promise<MessageFile | null>;
}
