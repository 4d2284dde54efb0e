import { accounts } from './0001-accounts.js';
import { telephony } from './0002-telephony.js';
import { calls } from './0003-calls.js';
import { webhooks } from './0004-webhooks.js';
import { callbacks } from './0005-callbacks.js';
import { agentsCallOut } from './0006-agents-call-out.js';
import { recordings } from './0007-recordings.js';
import { operations } from './0008-operations.js';
import { recordingRemovals } from './0009-recording-removals.js';
import { transfers } from './0010-transfers.js';
import { conferences } from './0011-conferences.js';
import { manyEngines } from './0012-many-engines.js';
import { callQuality } from './0013-call-quality.js';
import { conferenceRecordings } from './0014-conference-recordings.js';
import { queues } from './0015-queues.js';
import { usage } from './0016-usage.js';
import { supervisors } from './0018-supervisors.js';
import { widgets } from './0019-widgets.js';
import { callflows } from './0021-callflows.js';
import { verification } from './0022-verification.js';
import { voicemail } from './0023-voicemail.js';
import { numbers } from './0024-numbers.js';
import { rating } from './0025-rating.js';
import { transcripts } from './0040-transcripts.js';
import { widgetCodes } from './0041-widget-codes.js';
import { voicemailGreetings } from './0045-voicemail-greetings.js';
import { invoices } from './0046-invoices.js';
import { payments } from './0048-payments.js';
import { voicemailMails } from './0050-voicemail-mails.js';
import { usageCosts } from './0052-usage-costs.js';
import { cdrFiles } from './0053-cdr-files.js';
import { engineKinds } from './0054-engine-kinds.js';
import { systemCalls } from './0055-system-calls.js';
import { webhookKinds } from './0056-webhook-kinds.js';
import { idempotencyRenewal } from './0057-idempotency-renewal.js';
import { brandsOfProjects } from './0058-brands-of-projects.js';
import { destinationClasses } from './0059-destination-classes.js';
import { callLimits } from './0060-call-limits.js';
import { demoNumbers } from './0063-demo-numbers.js';
import { widgetBudgets } from './0064-widget-budgets.js';
import { sandboxKinds } from './0065-sandbox-kinds.js';
import { agentSkillsAndActivities } from './0067-agent-skills-and-activities.js';
import { verificationAttempts } from './0068-verification-attempts.js';
import { ownerMails } from './0069-owner-mails.js';
import { freeSandboxAccounts } from './0070-free-sandbox-accounts.js';
import { numberFees } from './0071-number-fees.js';
import { creditNotes } from './0072-credit-notes.js';
import { corrections } from './0073-corrections.js';
import { trunksAndRefusedCalls } from './0075-trunks-and-refused-calls.js';
import { webhooksWithNumbers } from './0076-webhooks-with-numbers.js';
import { blockedCallers } from './0077-blocked-callers.js';
import { fraudGuard } from './0079-fraud-guard.js';
import { usersAndSessions } from './0080-users-and-sessions.js';
import { secondFactors } from './0082-second-factors.js';
import { pendingPhones } from './0083-pending-phones.js';
import { invitesAndKeptSecrets } from './0084-invites-and-kept-secrets.js';
import { agentsCalls } from './0085-agents-calls.js';
import { administration } from './0086-administration.js';
import { accountMails } from './0088-account-mails.js';
import { productionAccess } from './0089-production-access.js';
import { registeredSince } from './0090-registered-since.js';
import { signups } from './0091-signups.js';
import { privacy } from './0092-privacy.js';
import { singleSignOn } from './0093-single-sign-on.js';
import { outboundTrunks } from './0094-outbound-trunks.js';
import { callForwarding } from './0095-call-forwarding.js';
import { sipEdge } from './0096-sip-edge.js';
import { certificates } from './0097-certificates.js';
import { guards } from './0098-guards.js';
import { changeContacts } from './0099-change-contacts.js';
import { contacts } from './0100-contacts.js';
import { contactImports } from './0101-contact-imports.js';
import { consents } from './0102-consents.js';
import { dynamicGroups } from './0103-dynamic-groups.js';
import { messageTemplates } from './0110-message-templates.js';
import { messages } from './0111-messages.js';
import { messageSubjects } from './0112-message-subjects.js';
import { webCalling } from './0130-web-calling.js';
import { broadcasts } from './0140-broadcasts.js';
import { chatapp } from './0141-chatapp.js';
import { messageFallback } from './0142-message-fallback.js';
import { callsOfBrowsers } from './0143-calls-of-browsers.js';
import { browserContacts } from './0144-browser-contacts.js';
import { writeContacts } from './0147-write-contacts.js';
import { webchat } from './0151-webchat.js';
import { messageVelocity } from './0155-message-velocity.js';
import { messageIndexes } from './0156-message-indexes.js';
import { messageLinks } from './0158-message-links.js';
import { messageFiles } from './0159-message-files.js';
import { voicemailNotices } from './0160-voicemail-notices.js';
import { virtualNumberContacts } from './0161-virtual-number-contacts.js';
import { broadcastLinks } from './0162-broadcast-links.js';
import { queueSnapshots } from './0163-queue-snapshots.js';
import { messageWrites } from './0164-message-writes.js';
import { softphoneMessages } from './0170-softphone-messages.js';
import { softphoneTexts } from './0171-softphone-texts.js';
import { chatAttendance } from './0173-chat-attendance.js';
import { usageOfEndedCalls } from './0176-usage-of-ended-calls.js';
import type { Migration } from './migration.js';

/** Every migration, in the order of application. Append new ones at the end. */
export const migrations: readonly Migration[] = [
  accounts,
  telephony,
  calls,
  webhooks,
  callbacks,
  agentsCallOut,
  recordings,
  operations,
  recordingRemovals,
  transfers,
  conferences,
  manyEngines,
  callQuality,
  conferenceRecordings,
  queues,
  usage,
  supervisors,
  widgets,
  callflows,
  verification,
  voicemail,
  numbers,
  rating,
  transcripts,
  widgetCodes,
  voicemailGreetings,
  invoices,
  payments,
  voicemailMails,
  usageCosts,
  cdrFiles,
  engineKinds,
  systemCalls,
  webhookKinds,
  idempotencyRenewal,
  brandsOfProjects,
  destinationClasses,
  callLimits,
  demoNumbers,
  widgetBudgets,
  sandboxKinds,
  agentSkillsAndActivities,
  verificationAttempts,
  ownerMails,
  freeSandboxAccounts,
  numberFees,
  creditNotes,
  corrections,
  trunksAndRefusedCalls,
  webhooksWithNumbers,
  blockedCallers,
  fraudGuard,
  usersAndSessions,
  secondFactors,
  pendingPhones,
  invitesAndKeptSecrets,
  agentsCalls,
  administration,
  accountMails,
  productionAccess,
  registeredSince,
  signups,
  privacy,
  singleSignOn,
  outboundTrunks,
  callForwarding,
  sipEdge,
  certificates,
  guards,
  changeContacts,
  contacts,
  contactImports,
  consents,
  dynamicGroups,
  messageTemplates,
  messages,
  messageSubjects,
  webCalling,
  broadcasts,
  chatapp,
  messageFallback,
  callsOfBrowsers,
  browserContacts,
  writeContacts,
  webchat,
  messageVelocity,
  messageIndexes,
  messageLinks,
  messageFiles,
  voicemailNotices,
  virtualNumberContacts,
  broadcastLinks,
  queueSnapshots,
  messageWrites,
  softphoneMessages,
  softphoneTexts,
  chatAttendance,
  usageOfEndedCalls,
];
