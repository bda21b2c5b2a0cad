/** The server's types, without the generator's prefix. */
export type {
  SchemaAgentView as AgentView,
  SchemaAsk as Ask,
  SchemaAttachmentInfo as AttachmentInfo,
  SchemaChangeMade as ChangeMade,
  SchemaChangeView as ChangeView,
  SchemaChatDetail as ChatDetail,
  SchemaChatView as ChatView,
  SchemaCheckpointView as CheckpointView,
  SchemaChoicesView as ChoicesView,
  SchemaCompletionView as CompletionView,
  SchemaContextView as ContextView,
  SchemaDeletedChat as DeletedChat,
  SchemaEmbeddedView as EmbeddedView,
  SchemaEnvelope as Envelope,
  SchemaFleetView as FleetView,
  SchemaHello as Hello,
  SchemaJobDetail as JobDetail,
  SchemaJobsView as JobsView,
  SchemaJobView as JobView,
  SchemaMessage as Message,
  SchemaModelsView as ModelsView,
  SchemaNewJob as NewJob,
  SchemaNewServer as NewServer,
  SchemaNewRun as NewRun,
  SchemaProjectView as ProjectView,
  SchemaPullProgress as PullProgress,
  SchemaPulse as Pulse,
  SchemaQueuedMessage as QueuedMessage,
  SchemaRulesView as RulesView,
  SchemaRunDetail as RunDetail,
  SchemaRunView as RunView,
  SchemaSearchHitView as SearchHit,
  SchemaSentinelStyle as SentinelStyle,
  SchemaSentInstructions as SentInstructions,
  SchemaServerTest as ServerTest,
  SchemaServerView as ServerView,
  SchemaSettingsView as SettingsView,
  SchemaSettingView as SettingView,
  SchemaToolServerView as ToolServerView,
  SchemaTurnMeta as TurnMeta,
  SchemaWords as Words,
} from "./schema";

import type { SchemaBatch, SchemaEnvelope, SchemaHello, SchemaMessage, SchemaPulse } from "./schema";

export type Frame = SchemaEnvelope["frame"];
export type FrameOf<Type extends Frame["type"]> = Extract<Frame, { type: Type }>;
export type Part = SchemaMessage["parts"][number];
export type SocketMessage = SchemaHello | SchemaBatch | SchemaPulse;
