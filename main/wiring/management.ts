import type { Redis } from 'ioredis';
import { directEdge } from '../../adapters/sip/direct-edge.js';
import type { Settings } from '../../config/settings.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import { EDGE_FEATURES } from '../../core/ports/sip/edge.js';
import { KeyService } from '../../core/services/access/keys.js';
import { AgentService } from '../../core/services/agents/agents.js';
import { ManageForwarding } from '../../core/services/agents/forwarding.js';
import { BlockedCallerAnswers } from '../../core/services/blocked-callers/answers.js';
import { ManageAllowedCallers, ManageBlockedCallers } from '../../core/services/blocked-callers/manage.js';
import { DeleteRecordings } from '../../core/services/recordings/delete.js';
import { ManageRecordings } from '../../core/services/recordings/manage.js';
import { RecordingRemoval } from '../../core/services/recordings/removal.js';
import type { SipTargets } from '../../core/services/dialling/sip-targets.js';
import { ManageSipGuards } from '../../core/services/sip-guards/manage.js';
import { ManageHighRiskPrefixes } from '../../core/services/dialling/high-risk-prefixes.js';
import { ManageFraud } from '../../core/services/dialling/manage-fraud.js';
import { ManageFraudDefaults } from '../../core/services/dialling/manage-fraud-defaults.js';
import { ProjectLimits } from '../../core/services/dialling/project-limits.js';
import { ReviewSenders } from '../../core/services/messaging/reviewing/review-senders.js';
import { OwnerContacts } from '../../core/services/owners/contacts.js';
import { EngineService } from '../../core/services/engines/manage.js';
import { VoicemailPins } from '../../core/services/voicemail/pins.js';
import { ReadRefusedCalls } from '../../core/services/refused-calls/reading.js';
import { ReadTrunkFigures } from '../../core/services/trunks/figures.js';
import { TrunkRateService } from '../../core/services/trunks/rates.js';
import { TrunkRouteService } from '../../core/services/trunks/routes.js';
import { TrunkService } from '../../core/services/trunks/trunks.js';
import { WidgetService } from '../../core/services/widgets/manage.js';
import { openNumbering, type Numbering } from './numbering.js';
import { Brands } from '../../core/services/brands/brands.js';
import { openSipTargets } from './sip-targets.js';
import type { Stores } from './stores.js';

/** Services for operators, used by the platform and the command line. */
export interface Management {
  readonly keys: KeyService;
  readonly agents: AgentService;
  readonly forwarding: ManageForwarding;
  readonly numbers: Numbering['service'];
  readonly voicemailPins: VoicemailPins;
  readonly numbering: Numbering;
  readonly recordings: ManageRecordings;
  readonly limits: ProjectLimits;
  readonly fraud: ManageFraud;
  readonly fraudDefaults: ManageFraudDefaults;
  readonly highRiskPrefixes: ManageHighRiskPrefixes;
  readonly contacts: OwnerContacts;
  readonly sipGuards: ManageSipGuards;
  readonly sipTargets: SipTargets;
  readonly trunks: TrunkService;
  readonly trunkRoutes: TrunkRouteService;
  readonly trunkRates: TrunkRateService;
  readonly trunkFigures: ReadTrunkFigures;
  readonly refusedCalls: ReadRefusedCalls;
  readonly blockedCallers: ManageBlockedCallers;
  readonly allowedCallers: ManageAllowedCallers;
  readonly blockedCallerAnswers: BlockedCallerAnswers;
  readonly brands: Brands;
  readonly messageSenders: ReviewSenders;
  readonly engines: EngineService;
  readonly widgets: WidgetService;
  /** Makes this process, and soon all others, read the configuration again. */
  readonly announce: () => Promise<void>;
}

/** Redis channel that announces changes of softphones, trunks, numbers and engines to all processes. */
export const CONFIGURATION_CHANNEL = 'hatif:config';

/**
 * @param redis announces changes; null if no platform runs. Owners also check for changes every few seconds.
 * @param wake called with lanes that have webhooks to deliver; without it, the sweep of the lanes finds them
 */
export function openManagement(
  stores: Stores,
  storages: ObjectStores,
  cipher: Cipher,
  clock: Clock,
  log: Logger,
  redis: Redis | null,
  settings: Settings,
  wake: (lanes: readonly string[]) => void = () => undefined,
): Management {
  const announce = async (): Promise<void> => {
    // The next request to this process must see the change, even if Redis is slow.
    stores.caches.clear();
    await redis?.publish(CONFIGURATION_CHANNEL, 'changed').catch(() => undefined);
  };
  const { agents, calls, conferences, engines, keys, numbers, projects, queues, recordings, trunks, widgets } = stores;
  const removal = new RecordingRemoval({ recordings, stores: storages, log });
  const remove = new DeleteRecordings({ calls, conferences, recordings, removal });
  const fraudDefaults = new ManageFraudDefaults({ db: stores.db, table: stores.fraudDefaults, announce, clock });
  const numbering = openNumbering({ stores, storages, settings, announce, clock, log });
  return {
    announce,
    keys: new KeyService({ keys, projects, clock }),
    agents: new AgentService({ agents, numbers, cipher, clock, announce }),
    forwarding: new ManageForwarding({
      ...{ db: stores.db, agents, directory: stores.directory, boxes: stores.voicemailBoxes },
      emergency: new Set(settings.EMERGENCY_NUMBERS),
      ...{ announce, wake, clock },
    }),
    numbers: numbering.service,
    voicemailPins: new VoicemailPins({ boxes: stores.voicemailBoxes, numbers, cipher, clock }),
    numbering,
    recordings: new ManageRecordings({ recordings, projects, remove, clock, announce }),
    contacts: new OwnerContacts(stores),
    limits: new ProjectLimits({ projects, announce }),
    sipGuards: new ManageSipGuards({
      ...{ lockouts: stores.sipLockouts, networks: stores.sipNetworks, refusals: stores.sipRefusals, clock },
      edge: settings.SIP_EDGE === 'direct' ? directEdge : { kind: settings.SIP_EDGE, features: EDGE_FEATURES },
    }),
    fraud: new ManageFraud({
      ...{ db: stores.db, table: stores.fraudGuard, projects, agents, defaults: fraudDefaults },
      ...{ announce, wake, clock },
    }),
    fraudDefaults,
    highRiskPrefixes: new ManageHighRiskPrefixes({ table: stores.highRiskPrefixes, announce, clock }),
    sipTargets: openSipTargets(stores, clock),
    blockedCallers: new ManageBlockedCallers({ table: stores.blockedCallers, announce, clock }),
    allowedCallers: new ManageAllowedCallers({ table: stores.allowedCallers, announce, clock }),
    blockedCallerAnswers: new BlockedCallerAnswers({ table: stores.blockedCallers, announce }),
    brands: new Brands(stores.brands, clock),
    messageSenders: new ReviewSenders(stores.messageSenders, clock),
    trunks: new TrunkService({ trunks, states: stores.trunkStates, cipher, clock, announce }),
    trunkRoutes: new TrunkRouteService({
      ...{ trunks, clock, announce },
      routes: stores.trunkRoutes,
      organizations: stores.organizations,
    }),
    trunkRates: new TrunkRateService({ trunks, rates: stores.trunkRates, clock, announce }),
    trunkFigures: new ReadTrunkFigures({ calls: stores.trunkCalls, clock }),
    refusedCalls: new ReadRefusedCalls({ refusedCalls: stores.refusedCalls, clock }),
    engines: new EngineService({ engines, cipher, announce }),
    widgets: new WidgetService({ widgets, agents, queues, clock }),
  };
}
