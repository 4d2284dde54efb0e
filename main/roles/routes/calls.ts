import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { CancelCallback } from '../../../core/services/callbacks/cancel.js';
import { ReadCallbacks } from '../../../core/services/callbacks/read.js';
import { ControlCall } from '../../../core/services/calls/control.js';
import { PlaceCall } from '../../../core/services/calls/place.js';
import { ReadCalls } from '../../../core/services/calls/read.js';
import { MonitorCall } from '../../../core/services/monitoring/monitor-call.js';
import { TransferCall } from '../../../core/services/calls/transfer-call.js';
import { ControlConference } from '../../../core/services/conferences/control.js';
import { ReadConferences } from '../../../core/services/conferences/read.js';
import { DeleteRecordings } from '../../../core/services/recordings/delete.js';
import { RecordingLinks } from '../../../core/services/recordings/links.js';
import { ReadRecordings } from '../../../core/services/recordings/read.js';
import { RecordingRemoval } from '../../../core/services/recordings/removal.js';
import type { Routing } from '../../../core/services/routing/destinations.js';
import type { CallRow } from '../../../core/data/rows.js';
import { SimulateCaller } from '../../../core/services/calls/simulate-caller.js';
import { SandboxRouting } from '../../../core/services/sandbox/routing.js';
import { ReadTranscripts } from '../../../core/services/transcription/read.js';
import type { Route } from '../../../api/http/route.js';
import { controlRoutes } from '../../../api/routes/calls/call-control.js';
import { callbackRoutes } from '../../../api/routes/calls/callbacks.js';
import { callRoutes } from '../../../api/routes/calls/calls.js';
import { recordingRoutes } from '../../../api/routes/recordings/recordings.js';
import { conferenceRoutes } from '../../../api/routes/calls/conferences.js';
import { monitorRoutes } from '../../../api/routes/calls/monitors.js';
import { transcriptRoutes } from '../../../api/routes/recordings/transcripts.js';
import { sandboxCallerRoutes } from '../../../api/routes/calls/sandbox-callers.js';
import { transferRoutes } from '../../../api/routes/calls/transfers.js';
import type { RouteOptions, SharedParts } from './options.js';

/** Routes for calls, their control, conferences and recordings. */
export function openCallRoutes(options: RouteOptions, shared: SharedParts): Route[] {
  const { stores, cipher, bus, ownCalls, storages, clock, log } = options;
  const { db, calls, conferences, directory, recordings } = stores;
  const { flags, publicUrl, prepareAudio, endpoints, callbacks } = shared;
  const { routing, placement, engines } = options.placing;
  const place = new PlaceCall({
    placement,
    routing,
    audio: prepareAudio,
    agentByExtension: (projectId, agent) => directory.agentByExtension(projectId, agent),
    queue: (projectId, queueId) => stores.queues.get(projectId, queueId),
    activeFlow: (projectId, callflowId) => stores.callflows.findActive({ projectId, sandbox: false }, callflowId),
    engines,
    checkWebhookUrl: (address) => endpoints.assertUrl(address),
  });
  const control = new ControlCall({ calls: ownCalls, audio: prepareAudio, bus });
  const sandboxRouting = new SandboxRouting();
  const routingOf = ({ sandbox }: Pick<CallRow, 'sandbox'>): Routing => (sandbox ? sandboxRouting : routing);
  const transfers = new TransferCall({
    calls,
    routingOf,
    queue: (projectId, queueId) => stores.queues.get(projectId, queueId),
    callflow: (of, callflowId) => stores.callflows.findActive(of, callflowId),
    gate: options.placing.gate,
    bus,
  });
  const readConferences = new ReadConferences(conferences);
  const controlConference = new ControlConference({
    calls,
    conferences,
    read: readConferences,
    control,
    audio: prepareAudio,
    bus,
  });
  const readCalls = new ReadCalls(calls, (callId) => timelineOf(db, callId));
  return [
    ...controlRoutes({ control, isOn: (flag, { organization }) => organization.flags[flag] ?? flags[flag] ?? true }),
    ...callRoutes({ place, read: readCalls }),
    ...sandboxCallerRoutes({
      callers: new SimulateCaller({ numbers: stores.numbers, trial: options.placing.trial, engines, bus, clock }),
      read: readCalls,
    }),
    ...transferRoutes({ transfers }),
    ...monitorRoutes({ monitor: new MonitorCall({ calls, routingOf, bus }) }),
    ...conferenceRoutes({ read: readConferences, control: controlConference }),
    ...callbackRoutes({
      place: shared.placeCallback,
      read: new ReadCallbacks(callbacks, clock),
      cancel: new CancelCallback({ callbacks, bus, clock }),
      calls: readCalls,
    }),
    ...recordingRoutes({
      read: new ReadRecordings({
        calls,
        conferences,
        recordings,
        stores: storages,
        links: new RecordingLinks(cipher, clock),
        clock,
      }),
      remove: new DeleteRecordings({
        calls,
        conferences,
        recordings,
        removal: new RecordingRemoval({ recordings, stores: storages, log }),
      }),
      publicUrl,
    }),
    ...transcriptRoutes({ read: new ReadTranscripts({ calls, recordings, transcripts: stores.transcripts }) }),
  ];
}
