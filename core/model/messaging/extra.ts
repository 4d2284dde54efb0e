export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file of a message. */
export interface MessageMedia {
  readonly kind: MediaKind;
  /** Where the provider gets the file; null if it has it, or the platform. */
  readonly url: string | null;
  /** A file that the project uploaded, or the provider's id of one. */
  readonly media_id: string | null;
  readonly caption: string | null;
  readonly file_name: string | null;
  /** Null if only the provider knows it. */
  readonly media_type: string | null;
}

/** What the recipient can choose; the text of the message is the question. */
export interface MessageInteractive {
  readonly header: string | null;
  readonly footer: string | null;
  /** At most three; empty with a list. */
  readonly buttons: readonly { readonly id: string; readonly title: string }[];
  readonly list: {
    /** Opens the list. */
    readonly button: string;
    readonly sections: readonly {
      readonly title: string | null;
      readonly rows: readonly { readonly id: string; readonly title: string; readonly description: string | null }[];
    }[];
  } | null;
}

/** What the sender of an incoming message chose. */
export interface MessageReply {
  readonly id: string;
  readonly title: string;
}

/** A reaction to a message. */
export interface MessageReaction {
  /** Null if Hatif does not know the message. */
  readonly message_id: string | null;
  /** Empty: the reaction is taken back. */
  readonly emoji: string;
}

/** What a message has beside its text, as clients see it. */
export interface MessageExtra {
  readonly media: MessageMedia | null;
  /** Of an e-mail. */
  readonly attachments?: readonly MessageMedia[];
  readonly interactive: MessageInteractive | null;
  readonly reply: MessageReply | null;
  readonly reaction: MessageReaction | null;
}

/** The values of a template, for a provider that fills it itself. */
export interface TemplateValues {
  readonly header: readonly string[];
  readonly body: readonly string[];
  readonly otp_button: boolean;
}

/** The same as it is stored: with what only providers need. */
export interface StoredExtra extends MessageExtra {
  readonly template: TemplateValues | null;
  /** The provider's id of the message to which this one reacts. */
  readonly target: string | null;
}

export const NO_EXTRA: StoredExtra = {
  ...{ media: null, interactive: null, reply: null, reaction: null },
  ...{ template: null, target: null },
};
