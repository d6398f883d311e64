"""Colours and shapes of all pictures, in one place.

Inside JupyterLab its own variables give text and ground; elsewhere the system's light or
dark setting does. A colour never says anything alone: beside it stands a border's style, an
underline, a sign or a word.
"""

from __future__ import annotations

LIGHT = {
    "ground": "#ffffff",
    "panel": "#f6f7f9",
    "line": "#cfd4da",
    "text": "#1c2127",
    "soft": "#5d6773",
    "faint": "#98a1ab",
    "sent": "#1b6e43",
    "sent-ground": "#dff3e6",
    "new": "#8f4700",
    "new-ground": "#ffedd2",
    "context": "#22539f",
    "context-ground": "#e0ebfb",
    "fault": "#b3201a",
    "fault-ground": "#fde3e0",
}
DARK = {
    "ground": "#15181c",
    "panel": "#1c2126",
    "line": "#3b434c",
    "text": "#e8ebee",
    "soft": "#a2acb7",
    "faint": "#6f7a85",
    "sent": "#7bd8a1",
    "sent-ground": "#163824",
    "new": "#ffb968",
    "new-ground": "#463010",
    "context": "#8fbaff",
    "context-ground": "#1a3054",
    "fault": "#ff8f86",
    "fault-ground": "#4d1d1a",
}
FROM_JUPYTER = {
    "ground": "--jp-layout-color0",
    "text": "--jp-content-font-color1",
}


def _variables(colours: dict[str, str], jupyter: bool = False) -> str:
    names = FROM_JUPYTER if jupyter else {}
    pairs = {k: f"var({names[k]}, {v})" if k in names else v for k, v in colours.items()}
    return "".join(f"--mt-{key}:{value};" for key, value in pairs.items())


THEMES = f"""\
.mt{{{_variables(LIGHT)}}}
@media (prefers-color-scheme: dark){{.mt{{{_variables(DARK)}}}}}
body[data-jp-theme-light="true"] .mt,body.vscode-light .mt{{{_variables(LIGHT, True)}}}
body[data-jp-theme-light="false"] .mt,body.vscode-dark .mt{{{_variables(DARK, True)}}}
"""

SHAPES = """\
.mt-view>.widget-html-content{min-width:0}
.mt{background:var(--mt-ground);color:var(--mt-text);font:14px/1.45 system-ui,"Segoe UI",Roboto,sans-serif;padding:6px 2px;max-width:1180px}
.mt .soft{color:var(--mt-soft)}.mt .faint{color:var(--mt-faint)}
.mt code,.mt .mono,.mt table.strip,.mt pre{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Noto Sans CJK SC",monospace}
.mt.mt code{background:none;color:inherit;padding:0;font-size:13px}
.mt table{border-collapse:separate;margin:0;font-size:12.5px;border:0;color:inherit;table-layout:auto;width:auto}
.mt table td,.mt table th{padding:0;border:0;text-align:left;max-width:none;white-space:nowrap;vertical-align:middle;line-height:1.35}
.mt table tr,.mt table tbody tr:nth-child(n),.mt table tbody tr:nth-child(n):hover{background:none}
.mt .head{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:baseline;margin:0 0 6px}
.mt .head b{font-size:15px}
.mt .tag{border:1px solid var(--mt-line);border-radius:9px;padding:0 8px;font-size:12.5px;font-weight:600}
.mt .tag.ok{color:var(--mt-sent);border-color:currentColor}
.mt .tag.wait{color:var(--mt-new);border:1px dashed}
.mt .tag.bad{color:var(--mt-fault);border:2px solid}
.mt .scroll{overflow-x:auto;padding-bottom:2px}
.mt table.strip{border-spacing:2px 0}
.mt table.strip td{text-align:center;min-width:22px;height:19px;font-size:11px}
.mt table.strip th{font:600 11.5px system-ui,sans-serif;color:var(--mt-soft);padding-right:8px;text-align:right;position:static}
.mt .strip tr.chars td{font-size:16px;height:30px;border-radius:4px}
.mt .strip td.c{border:1px solid var(--mt-line)}
.mt .strip td.c.sent{border:1.5px solid var(--mt-sent);background:var(--mt-sent-ground)}
.mt .strip td.c.held{border:2px dashed var(--mt-new)}
.mt .strip td.c.open{border:2px dotted var(--mt-new)}
.mt .strip td.c.future{border-color:transparent;color:var(--mt-faint)}
.mt .strip .gone{color:var(--mt-faint);border-color:transparent}
.mt .strip td.b{border-bottom:2px solid var(--mt-line);height:20px}
.mt .strip td.b.lead{border-bottom:4px solid var(--mt-new);font-weight:700}
.mt .strip td.b.follower{border-bottom:4px double var(--mt-new)}
.mt .strip td.b.broken{border-bottom:3px dotted var(--mt-fault);text-decoration:line-through}
.mt .strip td.b.stripped{text-decoration:line-through;color:var(--mt-faint)}
.mt .strip td.b.future{color:var(--mt-faint);opacity:.65}
.mt .strip tr.gap td{height:3px;font-size:1px}
.mt .strip td.t{border:1px solid var(--mt-line);border-radius:4px;padding:1px 0;background:var(--mt-panel)}
.mt .strip td.t.context{border:1.5px solid var(--mt-context);background:var(--mt-context-ground)}
.mt .strip td.t.new{border:1.5px dashed var(--mt-new);background:var(--mt-new-ground)}
.mt .strip td.t.now{border-width:2.5px;font-weight:700}
.mt .strip td.t.future{color:var(--mt-faint);background:none;opacity:.7}
.mt .strip td.w{height:6px;font-size:1px}
.mt .strip td.w.context{border:2px solid var(--mt-context);border-top:0}
.mt .strip td.w.new{border:2px dashed var(--mt-new);border-top:0}
.mt .strip td.arrow{font:12px/1.3 system-ui,sans-serif;height:16px;text-align:left;color:var(--mt-soft)}
.mt .strip td.arrow.to{text-align:right}
.mt .strip td.arrow.surr{color:var(--mt-context)}.mt .strip td.arrow.read{color:var(--mt-new)}
.mt .strip td.arrow div{width:0;white-space:nowrap;overflow:visible}
.mt .cols{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-start;margin-top:8px}
.mt .cols>div{flex:1 1 330px;min-width:0}.mt .cols>div+div{flex:1 1 460px}
.mt .panel{background:var(--mt-panel);border:1px solid var(--mt-line);border-radius:6px;padding:8px 12px;margin:0 0 8px;overflow-x:auto}
.mt .panel h4{font:600 12px system-ui,sans-serif;color:var(--mt-soft);margin:0 0 5px;letter-spacing:.02em}
.mt .say{border-left:4px solid var(--mt-new);padding:1px 0 1px 9px;margin:7px 0 0}
.mt .say.fault{border-left:4px double var(--mt-fault);color:var(--mt-fault);font-weight:600}
.mt .say.moved{border-left-color:var(--mt-sent)}
.mt table.sub td,.mt table.sub th{text-align:left}
.mt table.sub td{padding:1px 1px;font-size:15px}
.mt table.sub th{padding:1px 14px 1px 0;font-weight:400;color:var(--mt-soft);font-size:13px}
.mt table.sub tr.result td,.mt table.sub tr.result th{border-top:1.5px solid var(--mt-soft);padding-top:3px}
.mt mark{background:var(--mt-sent-ground);color:inherit;border-bottom:2.5px solid var(--mt-sent);padding:0 1px}
.mt mark.new{background:var(--mt-new-ground);border-bottom:2px dashed var(--mt-new)}
.mt mark.bad{background:var(--mt-fault-ground);border-bottom:3px double var(--mt-fault)}
.mt .ctx{border-bottom:2px solid var(--mt-context)}
.mt .half{color:var(--mt-fault)}.mt .sp{color:var(--mt-faint)}
.mt .got{font-size:17px;line-height:1.5;overflow-wrap:anywhere;margin:0 0 4px}
.mt .byte{display:inline-block;min-width:22px;text-align:center;border:1.5px solid var(--mt-new);border-radius:3px;margin-right:3px;font:12px ui-monospace,"DejaVu Sans Mono",monospace}
.mt .byte.missing{border-style:dotted;color:var(--mt-faint)}
.mt table.list{border-spacing:0;width:100%}
.mt table.list td,.mt table.list th{text-align:left;padding:2px 10px 2px 0;border-bottom:1px solid var(--mt-line);font-size:12.5px}
.mt table.list th{color:var(--mt-soft);font-weight:600}
.mt table.list td:first-child,.mt table.list th:first-child{padding-left:6px}
.mt table.list tr.now td{background:var(--mt-new-ground);border-top:2px solid var(--mt-new);border-bottom:2px solid var(--mt-new)}
.mt table.list tr.future td{color:var(--mt-faint)}
.mt table.list td.cut{max-width:170px;overflow:hidden;text-overflow:ellipsis}
.mt .film{margin:0 0 10px;padding-bottom:6px;border-bottom:1px dashed var(--mt-line)}
.mt pre{font-size:12.5px;line-height:1.4;color:inherit;background:none;white-space:pre;overflow-x:auto;margin:0}
.mt summary{cursor:pointer;color:var(--mt-soft);font-size:12.5px}
.mt .ok{color:var(--mt-sent)}
.mt table.list tr.end td{border-bottom:0;border-top:2px solid var(--mt-soft)}
.mt table.sub.wrap td{white-space:normal;font-size:13.5px}.mt table.sub.wrap th{vertical-align:top}
.mt .slots{display:flex;flex-wrap:wrap;gap:10px 8px;align-items:flex-start;padding:2px 0 4px}
.mt .slots table.strip td{min-width:31px;height:24px;font-size:13px}.mt .slots tr.chars td{font-size:22px;height:40px}
.mt .strip td.b.slot{border:1.5px dotted var(--mt-new);color:var(--mt-faint);border-radius:3px}
.mt .strip td.c.broken{border:2px dotted var(--mt-fault)}
.mt table.race th{white-space:normal;vertical-align:bottom}
.mt .belt{display:flex;flex-wrap:wrap;gap:4px;align-items:center}
.mt .frame{display:inline-flex;gap:2px;border:1.5px solid var(--mt-context);border-radius:4px;padding:2px 3px}
.mt .frame.late{border-style:dotted;border-color:var(--mt-line);color:var(--mt-faint)}
.mt .gate{border-left:4px double var(--mt-new);padding-left:7px;margin-left:3px;display:inline-block;height:22px}
.mt .burn{border-bottom:3px dashed var(--mt-new)}
.mt table.heat td{padding:3px 10px 3px 8px;border-left:1px solid var(--mt-line);line-height:1.25}
.mt table.heat small{color:var(--mt-soft)}
.mt .heat1,.mt .heat2,.mt .heat3,.mt .heat4{background:color-mix(in srgb,var(--mt-fault-ground) var(--mt-heat),transparent)}
.mt .heat1{--mt-heat:25%}.mt .heat2{--mt-heat:50%}.mt .heat3{--mt-heat:75%}.mt .heat4{--mt-heat:100%;border-bottom:3px double var(--mt-fault)!important}
.mt .key{font-size:11.5px;color:var(--mt-soft);margin:3px 0 0}
"""


def outweighing(css: str) -> str:
    """Rules that hold in notebook pages, which have some of their own for tables."""
    return css.replace(".mt ", ".mt.mt.mt ")


STYLE = f"<style>{THEMES}{outweighing(SHAPES)}</style>"
