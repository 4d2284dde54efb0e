import type { TableRule } from './table-rule.js';

/** Calls, what they left, and codes that were sent. */
export const CALL_DATA = {
  // Calls
  calls: {
    end: 'cdr',
    personal: {
      customer_number: 'shown cdr',
      caller_id_number: 'shown cdr',
      caller_id_name: 'shown emptied',
      agent: 'shown unlinked',
      metadata: 'shown emptied',
      webhook_url: 'internal emptied',
      program: 'internal emptied',
      options: 'internal emptied',
    },
    others: 'kind direction status line_number disposition hangup_text request_id',
  },
  legs: {
    end: 'cdr',
    personal: { endpoint: 'internal cdr', number: 'shown cdr' },
    others: 'role status holds hangup_text quality',
  },
  charges: { end: 'cdr', personal: { number: 'shown cdr' }, others: 'direction kind' },
  call_timeline: { end: 'deleted', personal: { data: 'internal deleted' }, others: 'type' },
  transfers: {
    end: 'deleted',
    personal: { destination: 'shown emptied', agent: 'shown unlinked' },
    others: 'type status request_id',
  },
  conferences: { end: 'deleted', others: 'name' },
  conference_participants: { end: 'deleted', others: 'leg request_id' },
  recordings: {
    end: 'deleted',
    // The audio, which the archive has as a file.
    personal: { storage_key: 'shown deleted' },
    others: 'leg status storage',
  },
  recording_removals: { end: 'deleted', personal: { storage_key: 'internal deleted' }, others: 'storage' },
  transcripts: {
    end: 'deleted',
    personal: { turns: 'shown deleted' },
    others: 'status language engine problem',
  },
  voicemails: {
    end: 'deleted',
    personal: {
      from_number: 'shown deleted',
      transcription_text: 'shown deleted',
      mail_to: 'shown emptied',
    },
    others: 'number transcription_status',
  },
  voicemail_boxes: {
    end: 'deleted',
    personal: { notify_email: 'shown emptied', notify_message: 'shown emptied', greeting: 'shown in_use' },
    secrets: 'pin_hash',
  },
  events: { end: 'deleted', personal: { data: 'shown deleted' }, others: 'type' },
  cdr_files: {
    end: 'cdr',
    // Numbers in these files are masked.
    personal: { storage_key: 'shown cdr' },
    others: 'sha256 storage',
  },
  refused_calls: {
    end: 'retention',
    personal: { dialled: 'shown deleted', caller_masked: 'internal expires', source_id: 'internal expires' },
    others: 'reason source',
  },
  blocked_callers: {
    end: 'deleted',
    personal: { number: 'shown block', note: 'shown emptied', agent: 'internal unlinked' },
    others: 'kind',
  },
  allowed_callers: {
    end: 'deleted',
    personal: { number: 'shown deleted', note: 'shown deleted', agent: 'internal unlinked' },
    others: 'kind',
  },
  blocked_caller_answers: { end: 'deleted', others: 'answer' },
  outside_legs: {
    end: 'deleted',
    // A digest of the number.
    personal: { number: 'internal expires', agent: 'internal unlinked' },
  },
  fraud_blocks: {
    end: 'deleted',
    personal: { number_masked: 'internal unlinked', agent: 'internal unlinked' },
    others: 'rule',
  },
  fraud_defaults: { end: 'deleted', others: 'limits' },

  // Codes
  verifications: {
    end: 'deleted',
    personal: {
      recipient: 'shown deleted',
      number_block: 'internal deleted',
      end_user_ip: 'shown deleted',
      fallback: 'shown deleted',
    },
    others: 'channel language request_id',
  },
  verification_attempts: {
    end: 'deleted',
    personal: { recipient: 'shown deleted' },
    others: 'channel state reason',
  },
  one_time_codes: {
    end: 'deleted',
    personal: { number_block: 'internal expires' },
    secrets: 'hash',
    others: 'purpose state',
  },
  voice_auth_challenges: {
    end: 'deleted',
    personal: { number: 'shown deleted', match_number: 'internal deleted', metadata: 'shown deleted' },
    others: 'assurance language state request_id',
  },
  message_threads: {
    end: 'deleted',
    personal: { address: 'shown deleted', agent: 'shown unlinked' },
    others: 'channel sender',
  },
  webchats: {
    end: 'deleted',
    personal: { visitor_name: 'shown deleted', declined_by: 'shown deleted' },
    others: 'language status',
  },
  chat_attendance: { end: 'deleted', personal: { agent: 'internal expires' } },
  messages: {
    end: 'deleted',
    personal: {
      recipient: 'shown deleted',
      sender: 'shown deleted',
      body: 'shown deleted',
      subject: 'shown deleted',
      content: 'shown deleted',
      metadata: 'shown deleted',
      agent: 'shown unlinked',
      softphone: 'internal unlinked',
    },
    others:
      'channel direction class status fallback template_name template_language error_reason provider_code request_id',
  },
  softphone_texts: {
    end: 'deleted',
    personal: { aor: 'internal unlinked', target: 'internal expires', body: 'internal expires' },
    others: 'call_id',
  },
  message_parts: { end: 'deleted', others: 'state provider provider_id' },
  message_files: {
    end: 'deleted',
    personal: { name: 'internal expires' },
    others: 'media_type storage storage_key request_id',
  },
  // They go with their messages.
  message_links: { end: 'deleted', personal: { url: 'shown deleted' }, others: 'code' },
  broadcasts: {
    end: 'deleted',
    personal: { metadata: 'shown unlinked' },
    others: 'name channel status problem sender class variants source file_name local_time reported request_id',
  },
  broadcast_recipients: {
    end: 'deleted',
    personal: { address: 'shown emptied', fields: 'shown emptied', time_zone: 'shown emptied' },
    others: 'status skip_reason',
  },
  message_receipts: {
    end: 'retention',
    personal: { recipient: 'internal expires', sender: 'internal expires' },
    others: 'provider provider_id state reason provider_code',
  },
  message_fragments: {
    end: 'retention',
    personal: { sender: 'internal expires', recipient: 'internal expires', body: 'internal expires' },
    others: 'provider',
  },
  voice_auth_brands: { end: 'deleted', others: 'name_en name_ar status rejection_reason request_id' },
} satisfies Readonly<Record<string, TableRule>>;
