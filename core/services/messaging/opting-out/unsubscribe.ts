import type { ProjectRow } from '../../../data/rows.js';
import { HatifError } from '../../../model/errors/index.js';
import type { ConsentService } from '../../contacts/consents.js';
import type { Subscription, UnsubscribeLinks } from '../unsubscribe-links.js';

export interface UnsubscribeOptions {
  readonly links: Pick<UnsubscribeLinks, 'read'>;
  readonly consents: Pick<ConsentService, 'recordEndUserWish'>;
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'organization_id'> | null>;
}

/** Opts out people who follow the link of a message. The link is the proof of who they are. */
export class Unsubscribe {
  constructor(private readonly options: UnsubscribeOptions) {}

  /** Changes nothing. @returns the address @throws HatifError NOT_FOUND for a link that was not made here, or whose project is gone */
  async address(token: string): Promise<string> {
    return (await this.#find(token)).address;
  }

  /**
   * Opts the address out of everything but service messages; nobody else undoes it. A repeat changes nothing.
   * @returns the address
   * @throws as {@link address} does
   */
  async unsubscribe(token: string): Promise<string> {
    const { projectId, organizationId, messageId, address } = await this.#find(token);
    const person = { organizationId, projectId, sandbox: false, channel: 'email', address } as const;
    await this.options.consents.recordEndUserWish({ ...person, proof: `message ${messageId}` }, 'opted_out', 'link');
    return address;
  }

  async #find(token: string): Promise<Subscription & { readonly organizationId: string }> {
    const found = this.options.links.read(token);
    const project = found && (await this.options.project(found.projectId));
    if (!project) throw new HatifError('NOT_FOUND', { what: { en: 'this link', ar: 'هذا الرابط' } });
    return { ...found, organizationId: project.organization_id };
  }
}
