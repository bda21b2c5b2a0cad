import type { ComponentProps, ReactNode } from "react";

import { Icon, type IconName } from "../icons";

interface ButtonProps extends Omit<ComponentProps<"button">, "type"> {
  /** How prominent it is. One primary button per view. */
  look?: "plain" | "primary" | "danger" | "destructive" | "quiet";
  icon?: IconName;
  submit?: boolean;
  children: ReactNode;
}

export function Button({ look = "plain", icon, submit = false, children, className = "", ...rest }: ButtonProps) {
  return (
    <button type={submit ? "submit" : "button"} className={`button button-${look} ${className}`.trim()} {...rest}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "type" | "children"> {
  icon: IconName;
  /** What it does, for screen readers and as a tooltip. */
  label: string;
}

export function IconButton({ icon, label, className = "", ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`.trim()} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
