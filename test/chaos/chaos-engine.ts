/** An engine that is killed and started again, whatever it is. */
export interface ChaosEngine {
  readonly kind: 'asterisk' | 'freeswitch';
  readonly sip: Address;
  /** Where it takes commands. */
  readonly control: Address;
  /** What `hatif engines add` is told of it behind its name, when its commands are taken at that address. */
  addArguments(control: Address): { readonly args: readonly string[]; readonly password: string };
  /** What it holds, in words. */
  describeChannels(): Promise<string[]>;
  /** kill -9, at once. */
  kill(): void;
  /** As somebody who watches over it does after its death. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}
