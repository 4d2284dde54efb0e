import { LIVE_KINDS } from '../../../core/model/engine-kinds.js';
import { ProvisionAccount } from '../../../core/services/provisioning/account.js';
import { EngineSoftphones } from '../../../core/services/provisioning/softphones.js';
import { phoneServer } from '../../install/phone-server.js';
import { newOrganizationFlags } from '../../wiring/flags.js';
import type { RouteOptions } from './options.js';

export type ProvisioningOptions = Pick<RouteOptions, 'settings' | 'stores' | 'cipher' | 'bus' | 'clock' | 'log'> & {
  readonly management: Pick<RouteOptions['management'], 'announce' | 'numbering'>;
  readonly parts: Pick<RouteOptions['parts'], 'sip'>;
};

/** Makes organizations, for people who sign up and for administrators. */
export function openProvisioning({
  settings,
  stores,
  cipher,
  bus,
  management,
  parts,
  clock,
  log,
}: ProvisioningOptions): ProvisionAccount {
  const { organizations, projects, users, agents, callflows, engines } = stores;
  return new ProvisionAccount({
    ...{ organizations, projects, users, agents, callflows, cipher, clock },
    assigner: management.numbering.assigner,
    softphones: new EngineSoftphones({
      engines: async () => (await engines.list()).filter(({ kind }) => LIVE_KINDS.includes(kind)),
      ...{ bus, clock, log },
    }),
    flags: newOrganizationFlags(settings),
    announce: management.announce,
    sipServer: phoneServer(settings, parts),
  });
}
