/** Limits rows to those of one kind, live or sandbox, of a project. */
export interface ProjectKind {
  readonly projectId: string;
  readonly sandbox: boolean;
}
