/** One command that is run on both sides. */
export interface Step {
  /** As a person types it after `hatif`. `$name` is what an earlier step kept, or what the ground has. */
  readonly line: string;
  /** What later steps need: a name, and the path of the value in the JSON. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Text for standard input. */
  readonly input?: string;
  /** It changes nothing: it is run as text and as JSON. Without it, a step with `keep` is run as JSON, any other as text. */
  readonly reads?: true;
  /** The file that it writes, whose content is compared as well. */
  readonly writes?: string;
}

export const read = (line: string, more: Partial<Step> = {}): Step => ({ line, reads: true, ...more });
export const step = (line: string, more: Partial<Step> = {}): Step => ({ line, ...more });
