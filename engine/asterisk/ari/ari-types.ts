/** The members of ARI objects that the adapter reads (https://docs.asterisk.org, ARI data models). */

export interface AriChannel {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly caller: { readonly name: string; readonly number: string };
  readonly creationtime: string;
  /** The dialplan application that runs: for an inbound channel, `Stasis` with the application's name and arguments. */
  readonly dialplan: { readonly app_name?: string; readonly app_data?: string };
  /** The variables that `ari.conf` lists; unset ones are empty. */
  readonly channelvars?: Readonly<Record<string, string>>;
}

export interface AriBridge {
  readonly id: string;
  readonly channels: readonly string[];
}

export interface AriPlayback {
  readonly id: string;
  /** `channel:<id>` or `bridge:<id>`. */
  readonly target_uri: string;
  readonly state: string;
}

export interface AriEndpoint {
  readonly technology: string;
  readonly resource: string;
  readonly state?: string;
}

export interface AriApplication {
  readonly channel_ids: readonly string[];
  /** Subscribed endpoints, for example `PJSIP/a1001`. */
  readonly endpoint_ids: readonly string[];
}

export interface AriInfo {
  readonly system: { readonly version: string; readonly entity_id: string };
  readonly status: { readonly startup_time: string };
}

/** An event of the websocket; the members present depend on its type. */
export interface AriEvent {
  readonly type: string;
  readonly application?: string;
  readonly timestamp?: string;
  readonly args?: readonly string[];
  readonly channel?: AriChannel;
  readonly peer?: AriChannel;
  readonly dialstatus?: string;
  readonly digit?: string;
  readonly duration_ms?: number;
  readonly playback?: AriPlayback;
  readonly recording?: { readonly name: string };
  readonly endpoint?: AriEndpoint;
  readonly cause?: number;
  /** The SIP status behind the cause, if one was received. */
  readonly tech_cause?: number;
  /** True for a hangup requested by Asterisk itself or by a command, not by the remote side. */
  readonly soft?: boolean;
  /** Of a ChannelTransfer event. */
  readonly state?: string;
  readonly refer_to?: {
    readonly requested_destination: { readonly protocol_id?: string; readonly destination?: string };
    /** The channel to be replaced. */
    readonly destination_channel?: AriChannel;
  };
  /** Of a TextMessageReceived event. */
  readonly message?: { readonly to: string; readonly body: string; readonly variables?: unknown };
  readonly referred_by?: { readonly source_channel: AriChannel };
}

/** The Stasis application that calls run in. */
export const CALL_APP = 'hatif';

/**
 * The application subscribed to endpoints. If the call application subscribed to them, every channel event would
 * arrive twice.
 */
export const REGISTRATION_APP = 'hatif-registrations';

/** The event filter; Asterisk drops all other types before sending. */
export const CALL_EVENTS: readonly string[] = [
  'ApplicationReplaced',
  'StasisStart',
  'StasisEnd',
  'ChannelStateChange',
  'ChannelDtmfReceived',
  'ChannelHold',
  'ChannelUnhold',
  'ChannelTransfer',
  'ChannelHangupRequest',
  'ChannelDestroyed',
  'Dial',
  'PlaybackStarted',
  'PlaybackFinished',
  'RecordingFinished',
  'RecordingFailed',
];

export const REGISTRATION_EVENTS: readonly string[] = [
  'EndpointStateChange',
  'ContactStatusChange',
  'TextMessageReceived',
];
