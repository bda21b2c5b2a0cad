import { type Shown, viewNames } from "../routes";
import { useServer } from "../state/server";
import { nextTheme, chooseTheme, useTheme } from "../theme";
import { IconButton } from "./Button";
import { ChatFacts } from "./ChatFacts";
import { RunUnderWay } from "./RunUnderWay";
import { useShownChat } from "./useShownChat";

interface HeaderProps {
  shown: Shown;
  onOpen: (what: "palette" | "help" | "drawer") => void;
}

export function Header({ shown, onOpen }: HeaderProps) {
  const { projectId, view, id } = shown;
  const project = useServer((state) => state.server?.projects.find((each) => each.id === projectId));
  const chat = useShownChat(shown);
  return (
    <header className="header">
      <IconButton
        className="header-menu"
        icon="menu"
        label="Projects and chats"
        onClick={() => {
          onOpen("drawer");
        }}
      />
      <div className="header-title">
        <h1 title={chat?.title}>{chat?.title ?? viewNames[view]}</h1>
        <p className="header-project" title={project?.path}>
          {project?.name}
        </p>
      </div>
      {view === "chat" && id && <ChatFacts chatId={id} />}
      <RunUnderWay shown={shown} />
      <div className="header-actions">
        <IconButton
          icon="search"
          label="Switch chats (Ctrl+K)"
          onClick={() => {
            onOpen("palette");
          }}
        />
        <IconButton
          className="header-help"
          icon="keyboard"
          label="Keyboard shortcuts (?)"
          onClick={() => {
            onOpen("help");
          }}
        />
        <ThemeSwitch />
      </div>
    </header>
  );
}

const themeIcons = { system: "system", light: "sun", dark: "moon" } as const;
const themeNames = { system: "same as system", light: "light", dark: "dark" };

function ThemeSwitch() {
  const theme = useTheme();
  const next = nextTheme(theme);
  return (
    <IconButton
      icon={themeIcons[theme]}
      label={`Theme: ${themeNames[theme]}. Change to: ${themeNames[next]}`}
      onClick={() => {
        chooseTheme(next);
      }}
    />
  );
}
