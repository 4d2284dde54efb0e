/** An engine that tests kill and start again. */
export interface ChaosEngine {
  readonly kind: 'asterisk' | 'freeswitch';
  readonly sip: Address;
  /** The address for commands. */
  readonly control: Address;
  /**
   * The arguments of `hatif engines add` after the name, and the password, if Hatif reaches its commands at `control`.
   */
  addArguments(control: Address): { readonly args: readonly string[]; readonly password: string };
  /** Describes its channels (and bridges), for people. */
  describeChannels(): Promise<string[]>;
  /** Kills it at once (SIGKILL). */
  kill(): void;
  /** Starts it again after its death, as a process supervisor does. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}
