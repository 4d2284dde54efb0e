/** The parts of oidc-provider that tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Context {
    readonly path: string;
    body: unknown;
    readonly oidc: { readonly session: { readonly accountId: string }; readonly client: { readonly clientId: string } };
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>;
    use(middleware: (ctx: Context, next: () => Promise<void>) => Promise<void>): this;
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
