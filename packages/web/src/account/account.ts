/** The answer of `POST /v1/web-calling/connect`: the browser's account, which works as long as the session. */
export interface Account {
  readonly sip: { readonly uri: string; readonly username: string; readonly password: string };
  readonly ws_url: string;
  readonly ice_servers: readonly RTCIceServer[];
  readonly identity: string;
  readonly display_name: string;
  readonly expires_at: string;
}
